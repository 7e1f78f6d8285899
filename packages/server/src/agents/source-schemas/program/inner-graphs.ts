import type * as ts from 'typescript-5';
import type { OpenedSource } from './compiler.ts';
import type { GraphTypes } from './graph-types.ts';

export interface InnerGraph {
  /** The name of the node. */
  node: string;
  /** The value that the node was given, from which its own inner graphs are found. */
  value: ts.Expression;
  compiled: ts.Type;
}

/** A node, and what it is added with. */
interface AddedNode {
  node: string;
  parts: readonly ts.Expression[];
}

/** A graph is followed through at most this many variables, functions and imports. */
const maxSteps = 50;

/** Finds the graphs that the nodes of a graph are, by the calls of `addNode` in the source. */
export class InnerGraphs {
  readonly #source: OpenedSource;
  readonly #types: GraphTypes;

  constructor(source: OpenedSource, types: GraphTypes) {
    this.#source = source;
    this.#types = types;
  }

  ofSymbol(symbol: ts.Symbol): InnerGraph[] {
    return this.#innerGraphs(this.#callsOfSymbol(symbol, new Set()));
  }

  ofValue(value: ts.Expression): InnerGraph[] {
    return this.#innerGraphs(this.#callsOf(value, new Set()));
  }

  /** Returns the calls of `addNode` on the graph that a symbol stands for. */
  #callsOfSymbol(symbol: ts.Symbol, seen: Set<ts.Symbol>): ts.CallExpression[] {
    const declared = this.#types.declared(symbol);
    if (seen.has(declared) || seen.size >= maxSteps) return [];
    seen.add(declared);
    const { compiler } = this.#source;
    return (declared.declarations ?? []).flatMap((declaration) => {
      if (compiler.isExportAssignment(declaration)) return this.#callsOf(declaration.expression, seen);
      if (compiler.isFunctionDeclaration(declaration)) return this.#callsOfFunction(declaration, seen);
      if (!compiler.isVariableDeclaration(declaration) || !declaration.initializer) return [];
      const own = this.#callsOf(declaration.initializer, seen);
      return [...own, ...this.#statementsOf(declared, declaration.getSourceFile())];
    });
  }

  /** Returns the calls of a chain such as `new StateGraph(…).addNode(…).compile()`, and of what the chain begins with. */
  #callsOf(expression: ts.Expression, seen: Set<ts.Symbol>): ts.CallExpression[] {
    const { compiler, checker } = this.#source;
    const value = this.#bare(expression);
    if (compiler.isIdentifier(value)) {
      const symbol = checker.getSymbolAtLocation(value);
      return symbol ? this.#callsOfSymbol(symbol, seen) : [];
    }
    if (compiler.isArrowFunction(value) || compiler.isFunctionExpression(value)) {
      return this.#callsOfFunction(value, seen);
    }
    if (!compiler.isCallExpression(value)) return [];
    const { expression: called } = value;
    if (!compiler.isPropertyAccessExpression(called)) return this.#callsOf(called, seen);
    const before = this.#callsOf(called.expression, seen);
    return called.name.text === 'addNode' ? [...before, value] : before;
  }

  #callsOfFunction(made: ts.FunctionLikeDeclaration, seen: Set<ts.Symbol>): ts.CallExpression[] {
    const { compiler } = this.#source;
    const { body } = made;
    if (!body) return [];
    if (!compiler.isBlock(body)) return this.#callsOf(body, seen);
    const found: ts.CallExpression[] = [];
    const visit = (node: ts.Node): void => {
      if (compiler.isFunctionLike(node)) return;
      if (compiler.isReturnStatement(node) && node.expression) {
        found.push(...this.#callsOf(node.expression, seen));
      }
      compiler.forEachChild(node, visit);
    };
    compiler.forEachChild(body, visit);
    return found;
  }

  /** Returns the calls that stand as statements: `builder.addNode(…);`. */
  #statementsOf(builder: ts.Symbol, file: ts.SourceFile): ts.CallExpression[] {
    const { compiler, checker } = this.#source;
    const found: ts.CallExpression[] = [];
    const visit = (node: ts.Node): void => {
      if (compiler.isExpressionStatement(node)) {
        const chain = this.#chainOf(node.expression);
        const begins = chain && checker.getSymbolAtLocation(chain.begin);
        if (begins && this.#types.declared(begins) === builder) found.push(...chain.calls);
      }
      compiler.forEachChild(node, visit);
    };
    compiler.forEachChild(file, visit);
    return found;
  }

  #chainOf(expression: ts.Expression): { begin: ts.Identifier; calls: ts.CallExpression[] } | null {
    const { compiler } = this.#source;
    const calls: ts.CallExpression[] = [];
    let value = this.#bare(expression);
    while (compiler.isCallExpression(value) && compiler.isPropertyAccessExpression(value.expression)) {
      if (value.expression.name.text === 'addNode') calls.unshift(value);
      value = this.#bare(value.expression.expression);
    }
    return compiler.isIdentifier(value) ? { begin: value, calls } : null;
  }

  #innerGraphs(calls: readonly ts.CallExpression[]): InnerGraph[] {
    return calls.flatMap((call) =>
      this.#nodesOf(call).flatMap(({ node, parts }) => {
        const found = this.#firstGraph(parts);
        return found ? [{ node, ...found }] : [];
      }),
    );
  }

  /** Reads `addNode(name, node, options)`, `addNode({ name: node })` and `addNode([[name, node, options]])`. */
  #nodesOf(call: ts.CallExpression): AddedNode[] {
    const { compiler } = this.#source;
    const [first, ...parts] = call.arguments;
    if (!first) return [];
    if (compiler.isStringLiteralLike(first)) return [{ node: first.text, parts }];
    if (compiler.isArrayLiteralExpression(first))
      return first.elements.flatMap((each) => this.#nodeOfList(each));
    if (!compiler.isObjectLiteralExpression(first)) return [];
    return first.properties.flatMap((property) => {
      if (!compiler.isPropertyAssignment(property)) return [];
      const { name, initializer } = property;
      const isNamed = compiler.isIdentifier(name) || compiler.isStringLiteralLike(name);
      return isNamed ? [{ node: name.text, parts: [initializer] }] : [];
    });
  }

  #nodeOfList(element: ts.Expression): AddedNode[] {
    const { compiler } = this.#source;
    if (!compiler.isArrayLiteralExpression(element)) return [];
    const [name, ...parts] = element.elements;
    return name && compiler.isStringLiteralLike(name) ? [{ node: name.text, parts }] : [];
  }

  /** A node may be a graph, call one, or name some in its option `subgraphs`; of several the first is meant. */
  #firstGraph(parts: readonly ts.Expression[]): Pick<InnerGraph, 'value' | 'compiled'> | undefined {
    const { compiler } = this.#source;
    const find = (part: ts.Node): Pick<InnerGraph, 'value' | 'compiled'> | undefined => {
      const compiled = compiler.isExpression(part) ? this.#compiledOf(part) : null;
      if (compiled) return { value: part as ts.Expression, compiled };
      return compiler.forEachChild(part, find);
    };
    for (const part of parts) {
      const found = find(part);
      if (found) return found;
    }
    return undefined;
  }

  #compiledOf(expression: ts.Expression): ts.Type | null {
    const type = this.#source.checker.getTypeAtLocation(expression);
    return this.#types.isCompiled(type) ? type : null;
  }

  /** Takes away what does not change a value: brackets, `await`, `as`, `satisfies`, `!`. */
  #bare(expression: ts.Expression): ts.Expression {
    const { compiler } = this.#source;
    let value = expression;
    while (
      compiler.isParenthesizedExpression(value) ||
      compiler.isAwaitExpression(value) ||
      compiler.isAsExpression(value) ||
      compiler.isSatisfiesExpression(value) ||
      compiler.isNonNullExpression(value)
    ) {
      value = value.expression;
    }
    return value;
  }
}
