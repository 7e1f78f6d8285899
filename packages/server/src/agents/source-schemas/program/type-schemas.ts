import type * as ts from 'typescript-5';
import type { OpenedSource } from './compiler.ts';
import type { JsonSchema } from './json-schema.ts';
import { messageDefinitions } from './message-definitions.ts';
import {
  anyOf,
  anything,
  type Literal,
  literalOf,
  literalsSchema,
  primitiveSchema,
  standardObjectSchema,
} from './simple-schemas.ts';
import { overwriteKey, TypeFacts } from './type-facts.ts';

/** Deeper than any form; a generic type can go on for ever. What lies deeper says nothing. */
const maxDepth = 12;
/** A state has some tens of types; beyond this number they say nothing. It bounds the definitions as well. */
const maxTypes = 5_000;
const draft = 'http://json-schema.org/draft-07/schema#';

/** Makes one JSON schema, with its definitions, from types of a program. */
export class TypeSchemas {
  readonly #source: OpenedSource;
  readonly #facts: TypeFacts;
  readonly #definitions: Record<string, JsonSchema> = {};
  /** The names of types that contain themselves. */
  readonly #names = new Map<ts.Type, string>();
  /** The objects around the type that is looked at. */
  readonly #around: ts.Type[] = [];
  #types = 0;

  constructor(source: OpenedSource) {
    this.#source = source;
    this.#facts = new TypeFacts(source);
  }

  /** Returns a schema that stands alone, with the definitions that it refers to. */
  document(schema: JsonSchema): JsonSchema {
    const hasDefinitions = Object.keys(this.#definitions).length > 0;
    return { $schema: draft, ...schema, ...(hasDefinitions && { definitions: this.#definitions }) };
  }

  schemaOf(type: ts.Type): JsonSchema {
    const { compiler, checker } = this.#source;
    const { Any, Unknown, Never, TypeParameter, IndexedAccess, Conditional } = compiler.TypeFlags;
    this.#types += 1;
    if (this.#types > maxTypes || this.#around.length >= maxDepth) return anything;
    if (type.flags & (Any | Unknown | Never)) return anything;
    if (type.isUnion()) return this.#union(type);
    if (type.flags & (TypeParameter | IndexedAccess | Conditional)) {
      const bound = checker.getBaseConstraintOfType(type);
      return bound && bound !== type ? this.schemaOf(bound) : anything;
    }
    return this.#primitive(type) ?? this.#object(type);
  }

  /** Returns the schema of an object by its properties; those that hold functions are left out. */
  membersOf(type: ts.Type): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const property of this.#source.checker.getPropertiesOfType(type)) {
      const value = this.#facts.typeOf(property);
      if (this.#facts.isHidden(property) || this.#facts.isFunction(value)) continue;
      properties[property.name] = this.schemaOf(value);
      if (!this.#facts.isOptional(property, value)) required.push(property.name);
    }
    return { type: 'object', properties, ...(required.length > 0 && { required }) };
  }

  /** A string with a brand, `string & { brand: 'id' }`, is a string. */
  #primitive(type: ts.Type): JsonSchema | null {
    if (!type.isIntersection()) return primitiveSchema(type, this.#source);
    const parts = type.types.map((part) => primitiveSchema(part, this.#source));
    return parts.find((schema) => schema !== null) ?? null;
  }

  #union(union: ts.UnionType): JsonSchema {
    const parts = union.types.filter(
      (type) => !this.#facts.isUndefined(type) && !this.#facts.isFunction(type),
    );
    const nothing = parts.some((type) => this.#facts.isNull(type)) ? [{ type: 'null' }] : [];
    const messages = this.#messages(parts);
    if (messages) return anyOf([messages, ...nothing]);
    const literals: Literal[] = [];
    const schemas: JsonSchema[] = [];
    const marks: JsonSchema[] = [];
    for (const part of parts.filter((type) => !this.#facts.isNull(type))) {
      const literal = literalOf(part, this.#source);
      if (literal !== undefined) literals.push(literal);
      else if (this.#facts.overwritten(part)) marks.push(this.schemaOf(part));
      else schemas.push(this.schemaOf(part));
    }
    const first = literals.length > 0 ? [literalsSchema(literals)] : [];
    return anyOf([...first, ...schemas, ...marks, ...nothing]);
  }

  /** A list of messages, or a message, in whatever forms an update takes it. */
  #messages(parts: readonly ts.Type[]): JsonSchema | null {
    if (parts.some((type) => this.#facts.isListOfMessages(type))) {
      return { type: 'array', items: this.#message() };
    }
    return parts.some((type) => this.#facts.isMessage(type)) ? this.#message() : null;
  }

  #message(): JsonSchema {
    Object.assign(this.#definitions, messageDefinitions);
    return { $ref: '#/definitions/BaseMessage' };
  }

  #object(type: ts.Type): JsonSchema {
    if (this.#facts.isMessage(type)) return this.#message();
    if (this.#around.includes(type) || this.#names.has(type)) return referTo(this.#nameOf(type));
    this.#around.push(type);
    const schema = this.#parts(type);
    this.#around.pop();
    const name = this.#names.get(type);
    if (name === undefined) return schema;
    this.#definitions[name] = schema;
    return referTo(name);
  }

  #parts(type: ts.Type): JsonSchema {
    const { compiler, checker } = this.#source;
    if (checker.isTupleType(type)) return this.#tuple(type as ts.TupleTypeReference);
    if (checker.isArrayType(type)) return this.#array(type as ts.TypeReference);
    const overwritten = this.#facts.overwritten(type);
    if (overwritten) return this.#overwrite(overwritten);
    if (this.#facts.isOfTheLanguage(type)) return standardObjectSchema(type.symbol.name);
    if (this.#facts.isFunction(type)) return { type: 'object' };
    const others = checker.getIndexTypeOfType(type, compiler.IndexKind.String);
    const additionalProperties = others ? this.schemaOf(others) : anything;
    return {
      ...(checker.getPropertiesOfType(type).length > 0 ? this.membersOf(type) : { type: 'object' }),
      ...(additionalProperties !== anything && { additionalProperties }),
    };
  }

  #array(type: ts.TypeReference): JsonSchema {
    const [item] = this.#source.checker.getTypeArguments(type);
    const items = item ? this.schemaOf(item) : anything;
    return { type: 'array', ...(items !== anything && { items }) };
  }

  #tuple(type: ts.TupleTypeReference): JsonSchema {
    const { minLength, hasRestElement, fixedLength } = type.target;
    const items = this.#source.checker.getTypeArguments(type).map((each) => this.schemaOf(each));
    const rest = hasRestElement
      ? { additionalItems: anyOf(items.slice(fixedLength)) }
      : { maxItems: fixedLength };
    return { type: 'array', items: items.slice(0, fixedLength), minItems: minLength, ...rest };
  }

  /** LangGraph's development server names it by its type, in which a list has lost what it holds. */
  #overwrite(value: ts.Type): JsonSchema {
    const { checker } = this.#source;
    const simple = checker.isArrayType(value) ? { type: 'array' } : this.#primitive(value);
    const text = checker.isArrayType(value) ? 'any[]' : simple ? checker.typeToString(value) : 'any';
    const name = `{${overwriteKey}:${text.replaceAll(/\s/g, '')};}`;
    this.#definitions[name] = {
      type: 'object',
      properties: { [overwriteKey]: simple ?? anything },
      required: [overwriteKey],
    };
    return referTo(name);
  }

  #nameOf(type: ts.Type): string {
    const present = this.#names.get(type);
    if (present !== undefined) return present;
    const own = type.aliasSymbol?.name ?? type.symbol?.name ?? '';
    const base = own === '' || own.startsWith('__') ? 'Type' : own;
    const taken = new Set([...this.#names.values(), ...Object.keys(messageDefinitions)]);
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}${count}`;
    this.#names.set(type, name);
    return name;
  }
}

function referTo(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}
