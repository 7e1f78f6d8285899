import type * as ts from 'typescript-5';
import type { OpenedSource } from './compiler.ts';

/** An export may be a function that returns a promise of a builder; more steps than these do not make a graph. */
const maxSteps = 6;

/** The graphs of one program, as the compiler knows them. */
export class GraphTypes {
  readonly #source: OpenedSource;

  constructor(source: OpenedSource) {
    this.#source = source;
  }

  /** Returns the symbol that a file exports under a name, at the place where it is declared. */
  exported(name: string): ts.Symbol {
    const { checker, source } = this.#source;
    const file = checker.getSymbolAtLocation(source);
    const found = file && checker.getExportsOfModule(file).find((each) => each.name === name);
    if (!found) throw new Error(`the compiler finds no export ${name}`);
    return this.declared(found);
  }

  /** Follows imports and renamed exports to the declaration. */
  declared(symbol: ts.Symbol): ts.Symbol {
    const { compiler, checker } = this.#source;
    return symbol.flags & compiler.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  typeOf(symbol: ts.Symbol): ts.Type {
    return this.#source.checker.getTypeOfSymbolAtLocation(symbol, this.#source.source);
  }

  /** Returns the type of a property; null when there is none, or none that says something. */
  member(type: ts.Type, ...names: string[]): ts.Type | null {
    const { TypeFlags } = this.#source.compiler;
    for (const name of names) {
      const property = this.#source.checker.getPropertyOfType(type, name);
      const found = property && this.typeOf(property);
      if (found && !(found.flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.Never))) return found;
    }
    return null;
  }

  /** Returns the type of the compiled graph that a value stands for: itself, a builder, a promise, or a function of these. */
  compiled(value: ts.Type): ts.Type | null {
    const { checker } = this.#source;
    let type = value;
    for (let step = 0; step < maxSteps; step += 1) {
      type = checker.getAwaitedType(type) ?? type;
      if (this.isCompiled(type)) return type;
      const compile = checker.getPropertyOfType(type, 'compile');
      const inside = compile ? this.#returned(this.typeOf(compile)) : this.member(type, 'graph');
      const next = this.#returned(type) ?? inside;
      if (!next) return null;
      type = next;
    }
    return null;
  }

  isCompiled(type: ts.Type): boolean {
    return this.#source.checker.getPropertyOfType(type, 'lg_is_pregel') !== undefined;
  }

  /** Returns what a function returns; the last of its signatures is the one that conditional types look at as well. */
  #returned(type: ts.Type): ts.Type | null {
    return type.getCallSignatures().at(-1)?.getReturnType() ?? null;
  }

  /** Returns what is written to a channel that `Annotation` has made, or that it makes when it is called. */
  updateOf(channel: ts.Type): ts.Type | null {
    return this.member(this.#returned(channel) ?? channel, 'UpdateType');
  }
}
