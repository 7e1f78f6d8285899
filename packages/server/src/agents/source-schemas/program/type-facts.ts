import type * as ts from 'typescript-5';
import type { OpenedSource } from './compiler.ts';

/** The key with which an update replaces what a reducer has collected. */
export const overwriteKey = '__overwrite__';

/** Tells what kind of thing a type is. */
export class TypeFacts {
  readonly #source: OpenedSource;

  constructor(source: OpenedSource) {
    this.#source = source;
  }

  typeOf(property: ts.Symbol): ts.Type {
    return this.#source.checker.getTypeOfSymbolAtLocation(property, this.#source.source);
  }

  /** Returns the type of the value when the type is LangGraph's mark of an overwriting update. */
  overwritten(type: ts.Type): ts.Type | null {
    const properties = type.isUnion() ? [] : this.#source.checker.getPropertiesOfType(type);
    const [only] = properties;
    return properties.length === 1 && only?.name === overwriteKey ? this.typeOf(only) : null;
  }

  isListOfMessages(type: ts.Type): boolean {
    const { checker } = this.#source;
    if (!checker.isArrayType(type)) return false;
    const [item] = checker.getTypeArguments(type as ts.TypeReference);
    return item !== undefined && (item.isUnion() ? item.types : [item]).some((each) => this.isMessage(each));
  }

  /** Returns whether it is LangChain's class of messages or one that is made from it, in whatever copy of LangChain. */
  isMessage(type: ts.Type): boolean {
    const declared = declaredType(type);
    if (!declared) return false;
    const isBase = declared.symbol.name === 'BaseMessage';
    if (isBase && filesOf(declared).some(({ fileName }) => fileName.includes('/@langchain/core/')))
      return true;
    return this.#source.checker.getBaseTypes(declared).some((base) => this.isMessage(base));
  }

  /** Returns whether the type comes with JavaScript or with Node, such as `Date` and `Map`. */
  isOfTheLanguage(type: ts.Type): boolean {
    const declared = declaredType(type);
    return (
      declared !== null &&
      filesOf(declared).some(
        (file) =>
          this.#source.program.isSourceFileDefaultLibrary(file) || file.fileName.includes('/@types/node/'),
      )
    );
  }

  isFunction(type: ts.Type): boolean {
    return type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0;
  }

  isNull(type: ts.Type): boolean {
    return (type.flags & this.#source.compiler.TypeFlags.Null) !== 0;
  }

  isUndefined(type: ts.Type): boolean {
    const { TypeFlags } = this.#source.compiler;
    return (type.flags & (TypeFlags.Undefined | TypeFlags.Void)) !== 0;
  }

  isOptional(property: ts.Symbol, type: ts.Type): boolean {
    const isMarked = (property.flags & this.#source.compiler.SymbolFlags.Optional) !== 0;
    return isMarked || (type.isUnion() ? type.types : [type]).some((part) => this.isUndefined(part));
  }

  /** Returns true for what JSON does not have: keys that are symbols, and private parts of a class. */
  isHidden(property: ts.Symbol): boolean {
    const { compiler } = this.#source;
    const { Private, Protected } = compiler.ModifierFlags;
    const isPrivate = (property.declarations ?? []).some((each) => {
      const name = compiler.getNameOfDeclaration(each);
      const isMarked = (compiler.getCombinedModifierFlags(each) & (Private | Protected)) !== 0;
      return isMarked || (name !== undefined && compiler.isPrivateIdentifier(name));
    });
    return isPrivate || String(property.escapedName).startsWith('__@');
  }
}

/** Returns the class or interface of a type, without its type arguments. */
function declaredType(type: ts.Type): ts.InterfaceType | null {
  const declared = (type as Partial<ts.TypeReference>).target ?? type;
  return declared.isClassOrInterface() ? declared : null;
}

function filesOf(type: ts.Type): ts.SourceFile[] {
  return (type.symbol.declarations ?? []).map((each) => each.getSourceFile());
}
