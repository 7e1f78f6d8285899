import { AsyncLocalStorage } from 'node:async_hooks';

/** No name server knows a name that ends so. */
export const addressDomain = '.own-code.invalid';

/** The address that stands for the work that is done at the moment. */
export const currentAddress = new AsyncLocalStorage<string>();

/**
 * A text that reads as the address of the work which reads it. The SDK reads it where a method of its client is called. When it
 * sends the request, it may be too late to ask: a call that waited in the client's queue begins in the context of another call,
 * which can be another user's.
 */
class CallerAddress extends String {
  override toString(): string {
    const address = currentAddress.getStore();
    if (address !== undefined) return address;
    throw new Error(
      'new Client() without an address works inside a run of a graph and inside a route of http.app. ' +
        'Elsewhere give it apiUrl and apiKey.',
    );
  }

  override valueOf(): string {
    return this.toString();
  }
}

export const callerAddress: string = new CallerAddress() as string;
