/** A promise that is settled from outside. (Node 20 has no Promise.withResolvers.) */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(reason: unknown): void;
}

export function newDeferred<Value = void>(): Deferred<Value> {
  let settle: Pick<Deferred<Value>, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // The executor runs at once, so `settle` is set. The compiler needs the check.
  if (settle === undefined) throw new Error('A promise did not run its executor.');
  return { promise, ...settle };
}
