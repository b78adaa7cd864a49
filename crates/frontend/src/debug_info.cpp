// What LLVM's C API does not tell: debug information (names and types of variables), the bits of constants, the parts
// of an address computation, and changes of control flow and of the order of variables. Everything else is done from
// Rust through the C API.

#include "llvm-c/Core.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <tuple>
#include <vector>

using namespace llvm;

namespace {

// Numbers shared with debug_info.rs.
enum Kind : uint32_t {
  Other = 0,
  Basic = 1,
  Derived = 2,
  Composite = 3,
  Subroutine = 4,
  Variable = 5,
  Subprogram = 6,
  Enumerator = 7,
  Subrange = 8,
};

struct Node {
  uint32_t kind;
  uint32_t tag;
  uint32_t encoding;
  uint32_t line;
  uint32_t argument; // of a parameter, from 1
  uint32_t elements; // how many
  uint8_t bit_field;
  uint8_t artificial;
  uint8_t is_unsigned;
  uint8_t has_value;
  uint64_t size;   // in bits
  uint64_t offset; // in bits
  int64_t value;   // of an enumerator; number of elements of a subrange
  const char *name;
  size_t name_length;
  const Metadata *base;
  const Metadata *scope;
  const Metadata *file;
};

void set_name(Node &out, StringRef name) {
  out.name = name.data();
  out.name_length = name.size();
}

DINodeArray elements_of(const Metadata *node) {
  if (auto *composite = dyn_cast<DICompositeType>(node))
    return composite->getElements();
  return DINodeArray();
}

} // namespace

extern "C" {

// Fills `out` with what is known of a debug information node.
void wf_describe(const Metadata *node, Node *out) {
  *out = Node{};
  if (!node)
    return;
  if (auto *type = dyn_cast<DIType>(node)) {
    set_name(*out, type->getName());
    out->tag = type->getTag();
    out->size = type->getSizeInBits();
    out->offset = type->getOffsetInBits();
    out->line = type->getLine();
    out->bit_field = type->isBitField();
    out->artificial = type->isArtificial();
    out->scope = type->getScope();
    out->file = type->getFile();
    if (auto *basic = dyn_cast<DIBasicType>(type)) {
      out->kind = Basic;
      out->encoding = basic->getEncoding();
    } else if (auto *derived = dyn_cast<DIDerivedType>(type)) {
      out->kind = Derived;
      out->base = derived->getBaseType();
    } else if (auto *composite = dyn_cast<DICompositeType>(type)) {
      out->kind = Composite;
      out->base = composite->getBaseType();
      out->elements = elements_of(node).size();
    } else if (auto *subroutine = dyn_cast<DISubroutineType>(type)) {
      out->kind = Subroutine;
      out->elements = subroutine->getTypeArray().size();
    }
  } else if (auto *variable = dyn_cast<DIVariable>(node)) {
    out->kind = Variable;
    set_name(*out, variable->getName());
    out->line = variable->getLine();
    out->base = variable->getType();
    out->scope = variable->getScope();
    out->file = variable->getFile();
    if (auto *local = dyn_cast<DILocalVariable>(variable)) {
      out->argument = local->getArg();
      out->artificial = local->isArtificial();
    }
  } else if (auto *function = dyn_cast<DISubprogram>(node)) {
    out->kind = Subprogram;
    set_name(*out, function->getName());
    out->line = function->getLine();
    out->base = function->getType();
    out->scope = function->getScope();
    out->file = function->getFile();
  } else if (auto *enumerator = dyn_cast<DIEnumerator>(node)) {
    out->kind = Enumerator;
    set_name(*out, enumerator->getName());
    out->is_unsigned = enumerator->isUnsigned();
    APInt value = enumerator->getValue();
    out->has_value = value.getSignificantBits() <= 64 || value.getActiveBits() <= 64;
    if (out->has_value)
      out->value = out->is_unsigned ? (int64_t)value.getZExtValue() : value.getSExtValue();
  } else if (auto *subrange = dyn_cast<DISubrange>(node)) {
    out->kind = Subrange;
    if (auto *count = dyn_cast_if_present<ConstantInt *>(subrange->getCount())) {
      out->has_value = count->getSExtValue() >= 0;
      out->value = count->getSExtValue();
    }
  } else if (auto *scope = dyn_cast<DIScope>(node)) {
    out->scope = scope->getScope();
    out->file = scope->getFile();
  }
}

// The n-th member, enumerator, dimension, or type of a signature (0 is the result).
const Metadata *wf_element(const Metadata *node, uint32_t n) {
  if (auto *subroutine = dyn_cast<DISubroutineType>(node))
    return n < subroutine->getTypeArray().size() ? subroutine->getTypeArray()[n] : nullptr;
  DINodeArray elements = elements_of(node);
  return n < elements.size() ? elements[n] : nullptr;
}

// The variable a global stands for.
const Metadata *wf_global_variable(LLVMValueRef value) {
  auto *global = dyn_cast<GlobalVariable>(unwrap(value));
  if (!global)
    return nullptr;
  SmallVector<DIGlobalVariableExpression *, 1> expressions;
  global->getDebugInfo(expressions);
  return expressions.empty() ? nullptr : expressions.front()->getVariable();
}

typedef void (*DeclareVisitor)(void *data, LLVMValueRef address, const Metadata *variable, const Metadata *location);

// Visits the declarations of variables in a function, written as records or as intrinsic calls.
void wf_declarations(LLVMValueRef function, DeclareVisitor visit, void *data) {
  for (BasicBlock &block : *unwrap<Function>(function))
    for (Instruction &instruction : block) {
      for (DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange()))
        if (record.isDbgDeclare() && record.getNumVariableLocationOps() == 1)
          visit(data, wrap(record.getVariableLocationOp(0)), record.getVariable(), record.getDebugLoc().get());
      if (auto *declare = dyn_cast<DbgDeclareInst>(&instruction))
        if (Value *address = declare->getAddress())
          visit(data, wrap(address), declare->getVariable(), declare->getDebugLoc().get());
    }
}

// The bits of an integer or floating point constant of at most 128 bits, low word first.
bool wf_constant_bits(LLVMValueRef value, uint64_t out[2]) {
  APInt bits;
  if (auto *integer = dyn_cast<ConstantInt>(unwrap(value)))
    bits = integer->getValue();
  else if (auto *real = dyn_cast<ConstantFP>(unwrap(value)))
    bits = real->getValueAPF().bitcastToAPInt();
  else
    return false;
  if (bits.getBitWidth() > 128)
    return false;
  out[0] = bits.extractBitsAsZExtValue(std::min(64u, bits.getBitWidth()), 0);
  out[1] = bits.getBitWidth() > 64 ? bits.extractBitsAsZExtValue(bits.getBitWidth() - 64, 64) : 0;
  return true;
}

typedef void (*IndexVisitor)(void *data, LLVMValueRef index, int64_t scale);

// The parts of an address computation: a constant, and indices with their factors in bytes.
bool wf_address_parts(LLVMModuleRef module, LLVMValueRef value, int64_t *constant, IndexVisitor visit, void *data) {
  auto *address = dyn_cast<GEPOperator>(unwrap(value));
  if (!address || address->getType()->isVectorTy())
    return false;
  MapVector<Value *, APInt> indices;
  APInt offset(64, 0);
  if (!address->collectOffset(unwrap(module)->getDataLayout(), 64, indices, offset))
    return false;
  *constant = offset.getSExtValue();
  for (auto &[index, scale] : indices)
    visit(data, wrap(index), scale.getSExtValue());
  return true;
}

// Makes `goto *p` a switch over the function's labels, whose addresses become small numbers.
void wf_expand_computed_gotos(LLVMModuleRef module) {
  for (Function &function : *unwrap(module)) {
    SmallVector<BasicBlock *> labels;
    SmallVector<IndirectBrInst *> jumps;
    for (BasicBlock &block : function) {
      if (BlockAddress *address = BlockAddress::lookup(&block)) {
        labels.push_back(&block);
        Constant *number = ConstantInt::get(Type::getInt64Ty(function.getContext()), labels.size());
        address->replaceAllUsesWith(ConstantExpr::getIntToPtr(number, address->getType()));
      }
      if (auto *jump = dyn_cast<IndirectBrInst>(block.getTerminator()))
        jumps.push_back(jump);
    }
    for (IndirectBrInst *jump : jumps) {
      BasicBlock *from = jump->getParent();
      auto *nowhere = BasicBlock::Create(function.getContext(), "", &function);
      new UnreachableInst(function.getContext(), nowhere);
      IRBuilder<> builder(jump);
      Value *number = builder.CreatePtrToInt(jump->getAddress(), builder.getInt64Ty());
      SwitchInst *choice = builder.CreateSwitch(number, nowhere, labels.size());
      SmallPtrSet<BasicBlock *, 16> targets;
      for (BasicBlock *target : jump->successors())
        if (!is_contained(labels, target) || !targets.insert(target).second)
          target->removePredecessor(from);
      for (size_t n = 0; n < labels.size(); n++)
        if (targets.count(labels[n]))
          choice->addCase(builder.getInt64(n + 1), labels[n]);
      jump->eraseFromParent();
    }
  }
}

// Puts variables in the order in which they are declared, those of headers first. Clang gives them in the order of their
// first use, so that a small change of the text moves them: a program that reads beside its own would find something else.
void wf_order_variables(LLVMModuleRef raw) {
  Module &module = *unwrap(raw);
  DenseMap<const DIGlobalVariable *, std::pair<size_t, const DIFile *>> units;
  size_t number = 0;
  for (DICompileUnit *unit : module.debug_compile_units()) {
    for (DIGlobalVariableExpression *global : unit->getGlobalVariables())
      units[global->getVariable()] = {number, unit->getFile()};
    number++;
  }
  using Place = std::tuple<size_t, bool, StringRef, unsigned, StringRef>;
  std::vector<std::pair<Place, GlobalVariable *>> placed;
  for (GlobalVariable &variable : module.globals()) {
    SmallVector<DIGlobalVariableExpression *, 1> known;
    variable.getDebugInfo(known);
    if (known.empty())
      continue;
    const DIGlobalVariable *about = known.front()->getVariable();
    auto [unit, file] = units.lookup(about);
    Place place{unit, about->getFile() == file, about->getFilename(), about->getLine(), variable.getName()};
    placed.emplace_back(place, &variable);
  }
  llvm::stable_sort(placed, llvm::less_first());
  for (auto &[place, variable] : placed) {
    module.removeGlobalVariable(variable);
    module.insertGlobalVariable(variable);
  }
}

// Splits a block before an instruction; what follows is the new block.
LLVMBasicBlockRef wf_split_before(LLVMValueRef instruction) {
  auto *at = unwrap<Instruction>(instruction);
  return wrap(at->getParent()->splitBasicBlock(at));
}
}
