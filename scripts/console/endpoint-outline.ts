/** Where the page compares what an answer is made of; see `requireOutline` of the client. */
interface Outline {
  type?: unknown;
  const?: unknown;
  required?: readonly string[];
  properties?: Record<string, Outline>;
}

interface EndpointConstant {
  method: string;
  url: string;
  schema: { response: Record<string, Outline> };
}

/** The envelope of an answer; deeper fields are not compared. */
const comparedFields = ['code', 'data'];

/** Returns an exported value of the contract as the page needs it; undefined for what only a server uses. */
export function pageValue(value: unknown): unknown {
  if (isEndpoint(value)) return endpointOutline(value);
  return isPlain(value) ? value : undefined;
}

/** Keeps what the client sends and compares: the method, the address and the outline of the answer. */
function endpointOutline({ method, url, schema }: EndpointConstant): object {
  const success = Object.entries(schema.response).filter(([status]) => status.startsWith('2'));
  const response = success.slice(0, 1).map(([status, outline]) => [status, shortOutline(outline)]);
  return { method, url, schema: { response: Object.fromEntries(response) } };
}

function shortOutline({ type, const: only, required, properties = {} }: Outline): Outline {
  const compared = comparedFields.filter((name) => properties[name] !== undefined);
  return {
    ...(type !== undefined && { type }),
    ...(only !== undefined && { const: only }),
    ...(required !== undefined && { required }),
    ...(compared.length > 0 && {
      properties: Object.fromEntries(
        compared.map((name) => [name, shortOutline({ ...properties[name], properties: {} })]),
      ),
    }),
  };
}

function isEndpoint(value: unknown): value is EndpointConstant {
  return isObject(value) && typeof value.method === 'string' && isObject(value.schema);
}

/** Returns whether the value is the same after JSON: no function, and no schema at any depth. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  if (!isObject(value)) return value !== undefined && typeof value !== 'function';
  if (Object.getOwnPropertyNames(value).some((name) => name.startsWith('~'))) return false;
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
