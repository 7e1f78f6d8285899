import type * as ts from 'typescript-5';
import type { OpenedSource } from './compiler.ts';
import type { JsonSchema } from './json-schema.ts';
import { literalsSchema } from './literals-schema.ts';
import { messageDefinitions } from './message-definitions.ts';

/** Deeper than any form; a generic type can go on for ever. */
const maxDepth = 12;
/** A state has some tens of types; beyond this the rest of them say nothing. */
const maxTypes = 5_000;
const anything: JsonSchema = {};
const draft = 'http://json-schema.org/draft-07/schema#';
/** The key with which an update replaces what a reducer has collected. */
const overwriteKey = '__overwrite__';

/** Makes JSON schemas of the types of one program. */
export class TypeSchemas {
  readonly #source: OpenedSource;
  #definitions: Record<string, JsonSchema> = {};
  #names = new Map<ts.Type, string>();
  #open: ts.Type[] = [];
  #types = 0;

  constructor(source: OpenedSource) {
    this.#source = source;
  }

  /** Returns a whole schema, with the definitions that it refers to; null for a type that says nothing. */
  document(make: () => JsonSchema): JsonSchema | null {
    this.#definitions = {};
    this.#names = new Map();
    this.#open = [];
    this.#types = 0;
    const schema = make();
    if (Object.keys(schema).length === 0) return null;
    const has = Object.keys(this.#definitions).length > 0;
    return { $schema: draft, ...schema, ...(has && { definitions: this.#definitions }) };
  }

  schemaOf(type: ts.Type): JsonSchema {
    const { TypeFlags } = this.#source.compiler;
    this.#types += 1;
    if (this.#types > maxTypes || this.#open.length >= maxDepth) return anything;
    if (type.flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.Never)) return anything;
    if (type.isUnion()) return this.#union(type);
    const primitive = this.#primitive(type);
    if (primitive) return primitive;
    if (type.isIntersection() && type.types.some((part) => this.#primitive(part) !== null)) {
      const [first = type] = type.types.filter((part) => this.#primitive(part) !== null);
      return this.schemaOf(first);
    }
    if (type.flags & (TypeFlags.TypeParameter | TypeFlags.IndexedAccess | TypeFlags.Conditional)) {
      const known = this.#source.checker.getBaseConstraintOfType(type);
      return known && known !== type ? this.schemaOf(known) : anything;
    }
    return this.#object(type);
  }

  /** Returns the schema of an object by its properties; those that hold functions are left out. */
  membersOf(type: ts.Type): JsonSchema {
    const schemas: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const property of this.#source.checker.getPropertiesOfType(type)) {
      const value = this.#typeOf(property);
      if (this.#isHidden(property) || this.#isFunction(value)) continue;
      schemas[property.name] = this.schemaOf(value);
      if (!this.#isOptional(property, value)) required.push(property.name);
    }
    return { type: 'object', properties: schemas, ...(required.length > 0 && { required }) };
  }

  /** Returns the schema of an object whose properties are channels, none of which is required. */
  channelsSchema(
    channels: readonly ts.Symbol[],
    writtenTo: (channel: ts.Type) => ts.Type | null,
  ): JsonSchema {
    if (channels.length === 0) return { type: 'object' };
    const properties: Record<string, JsonSchema> = {};
    for (const channel of channels) {
      const value = writtenTo(this.#typeOf(channel));
      properties[channel.name] = value ? this.schemaOf(value) : anything;
    }
    return { type: 'object', properties };
  }

  #typeOf(property: ts.Symbol): ts.Type {
    return this.#source.checker.getTypeOfSymbolAtLocation(property, this.#source.source);
  }

  #primitive(type: ts.Type): JsonSchema | null {
    const { TypeFlags } = this.#source.compiler;
    if (type.isStringLiteral() || type.isNumberLiteral()) return literalsSchema([type.value]);
    if (type.flags & TypeFlags.BooleanLiteral) {
      return literalsSchema([this.#source.checker.typeToString(type) === 'true']);
    }
    if (type.flags & TypeFlags.StringLike) return { type: 'string' };
    if (type.flags & TypeFlags.NumberLike) return { type: 'number' };
    if (type.flags & TypeFlags.BigIntLike) return { type: 'integer' };
    if (type.flags & TypeFlags.BooleanLike) return { type: 'boolean' };
    if (type.flags & TypeFlags.Null) return { type: 'null' };
    if (type.flags & (TypeFlags.Undefined | TypeFlags.Void | TypeFlags.ESSymbolLike)) return anything;
    return null;
  }

  #union(union: ts.UnionType): JsonSchema {
    const { TypeFlags } = this.#source.compiler;
    const nothing = TypeFlags.Undefined | TypeFlags.Void;
    const parts = union.types.filter((type) => !(type.flags & nothing) && !this.#isFunction(type));
    const messages = this.#messages(parts);
    if (messages) {
      const isNullable = parts.some((type) => type.flags & TypeFlags.Null);
      return isNullable ? { anyOf: [messages, { type: 'null' }] } : messages;
    }
    const literals: (string | number | boolean)[] = [];
    const schemas: JsonSchema[] = [];
    // What a form offers first stands first.
    const last: JsonSchema[] = [];
    for (const part of parts) {
      if (part.isStringLiteral() || part.isNumberLiteral()) literals.push(part.value);
      else if (part.flags & TypeFlags.BooleanLiteral) {
        literals.push(this.#source.checker.typeToString(part) === 'true');
      } else if (part.flags & TypeFlags.Null || this.#overwritten(part)) last.push(this.schemaOf(part));
      else schemas.push(this.schemaOf(part));
    }
    if (schemas.some((schema) => Object.keys(schema).length === 0)) return anything;
    return oneOf([...(literals.length > 0 ? [literalsSchema(literals)] : []), ...schemas, ...last]);
  }

  #object(type: ts.Type): JsonSchema {
    if (this.#isMessage(type)) return this.#message();
    const known = this.#open.indexOf(type);
    if (known >= 0 || this.#names.has(type)) return { $ref: `#/definitions/${this.#nameOf(type)}` };
    this.#open.push(type);
    try {
      const schema = this.#members(type);
      const name = this.#names.get(type);
      if (name === undefined) return schema;
      this.#definitions[name] = schema;
      return { $ref: `#/definitions/${name}` };
    } finally {
      this.#open.pop();
    }
  }

  #members(type: ts.Type): JsonSchema {
    const { checker } = this.#source;
    if (checker.isTupleType(type)) return this.#tuple(type as ts.TupleTypeReference);
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type as ts.TypeReference);
      const items = item ? this.schemaOf(item) : anything;
      return { type: 'array', ...(Object.keys(items).length > 0 && { items }) };
    }
    const overwritten = this.#overwritten(type);
    if (overwritten) return this.#overwrite(overwritten);
    if (this.#isOfTheLanguage(type)) return standardObject(type.symbol.name);
    if (this.#isFunction(type)) return { type: 'object' };
    const values = checker.getIndexTypeOfType(type, this.#source.compiler.IndexKind.String);
    const properties = checker.getPropertiesOfType(type);
    if (!values) return properties.length > 0 ? this.membersOf(type) : { type: 'object' };
    const additional = this.schemaOf(values);
    return {
      ...(properties.length > 0 ? this.membersOf(type) : { type: 'object' }),
      ...(Object.keys(additional).length > 0 && { additionalProperties: additional }),
    };
  }

  #tuple(type: ts.TupleTypeReference): JsonSchema {
    const { minLength, hasRestElement, fixedLength } = type.target;
    const all = this.#source.checker.getTypeArguments(type).map((each) => this.schemaOf(each));
    const rest = all.slice(fixedLength);
    return {
      type: 'array',
      items: all.slice(0, fixedLength),
      minItems: minLength,
      ...(hasRestElement ? { additionalItems: oneOf(rest) } : { maxItems: fixedLength }),
    };
  }

  /** The name is the one that LangGraph's development server gives it: its type, in which lists have lost what they hold. */
  #overwrite(value: ts.Type): JsonSchema {
    const { checker } = this.#source;
    const isSimple = this.#primitive(value) !== null;
    const text = checker.isArrayType(value) ? 'any[]' : isSimple ? checker.typeToString(value) : 'any';
    const name = `{${overwriteKey}:${text.replaceAll(/\s/g, '')};}`;
    this.#definitions[name] = {
      type: 'object',
      properties: { [overwriteKey]: checker.isArrayType(value) ? { type: 'array' } : this.schemaOf(value) },
      required: [overwriteKey],
    };
    return { $ref: `#/definitions/${name}` };
  }

  #overwritten(type: ts.Type): ts.Type | null {
    const { checker } = this.#source;
    const properties = type.isUnion() ? [] : checker.getPropertiesOfType(type);
    const [only] = properties;
    return properties.length === 1 && only?.name === overwriteKey ? this.#typeOf(only) : null;
  }

  /** A list of messages, or a message, in whatever forms an update takes it. */
  #messages(parts: readonly ts.Type[]): JsonSchema | null {
    const isList = parts.some((type) => this.#isListOfMessages(type));
    if (isList) return { type: 'array', items: this.#message() };
    return parts.some((type) => this.#isMessage(type)) ? this.#message() : null;
  }

  #isListOfMessages(type: ts.Type): boolean {
    const { checker } = this.#source;
    if (!checker.isArrayType(type)) return false;
    const [item] = checker.getTypeArguments(type as ts.TypeReference);
    return item !== undefined && (item.isUnion() ? item.types : [item]).some((each) => this.#isMessage(each));
  }

  #message(): JsonSchema {
    Object.assign(this.#definitions, messageDefinitions);
    return { $ref: '#/definitions/BaseMessage' };
  }

  /** The class of messages, or one that is made from it, in whatever copy of LangChain the project has. */
  #isMessage(type: ts.Type): boolean {
    const declared = declaredType(type);
    if (!declared) return false;
    if (declared.symbol.name === 'BaseMessage' && this.#isFrom(declared, '/@langchain/core/')) return true;
    return this.#source.checker.getBaseTypes(declared).some((base) => this.#isMessage(base));
  }

  #isFrom(type: ts.Type, part: string): boolean {
    return (type.symbol?.declarations ?? []).some((each) => each.getSourceFile().fileName.includes(part));
  }

  #isOfTheLanguage(type: ts.Type): boolean {
    if (!declaredType(type)) return false;
    const { program } = this.#source;
    const declarations = type.symbol?.declarations ?? [];
    return declarations.some(
      (each) =>
        program.isSourceFileDefaultLibrary(each.getSourceFile()) ||
        each.getSourceFile().fileName.includes('/@types/node/'),
    );
  }

  #isFunction(type: ts.Type): boolean {
    return type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0;
  }

  #isOptional(property: ts.Symbol, type: ts.Type): boolean {
    const { SymbolFlags, TypeFlags } = this.#source.compiler;
    const parts = type.isUnion() ? type.types : [type];
    return (
      (property.flags & SymbolFlags.Optional) !== 0 ||
      parts.some(({ flags }) => flags & (TypeFlags.Undefined | TypeFlags.Void))
    );
  }

  /** Symbols have no name in JSON; private parts of a class are none of a client's business. */
  #isHidden(property: ts.Symbol): boolean {
    const { compiler } = this.#source;
    const isPrivate = (property.declarations ?? []).some(
      (each) =>
        compiler.getCombinedModifierFlags(each) &
        (compiler.ModifierFlags.Private | compiler.ModifierFlags.Protected),
    );
    return isPrivate || property.name.startsWith('__@') || property.name.startsWith('__#');
  }

  #nameOf(type: ts.Type): string {
    const present = this.#names.get(type);
    if (present !== undefined) return present;
    const own = type.aliasSymbol?.name ?? type.symbol?.name ?? 'Type';
    const base = own.startsWith('__') ? 'Type' : own;
    const taken = new Set([...this.#names.values(), ...Object.keys(messageDefinitions)]);
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}${count}`;
    this.#names.set(type, name);
    return name;
  }
}

/** Returns the class or interface of a type, without its type arguments. */
function declaredType(type: ts.Type): ts.InterfaceType | null {
  const declared = (type as Partial<ts.TypeReference>).target ?? type;
  return declared.isClassOrInterface() ? declared : null;
}

/** Joins types that have no more than a name, so that a form sees `["string", "null"]`. */
function oneOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [only] = schemas;
  if (only === undefined) return anything;
  if (schemas.length === 1) return only;
  const isPlain = schemas.every(
    ({ type, ...rest }) => typeof type === 'string' && Object.keys(rest).length === 0,
  );
  return isPlain ? { type: [...new Set(schemas.map(({ type }) => type))] } : { anyOf: [...schemas] };
}

function standardObject(name: string): JsonSchema {
  if (name === 'Date') return { type: 'string', format: 'date-time' };
  if (name === 'String' || name === 'URL') return { type: 'string' };
  return { type: 'object' };
}
