/**
 * `finally` waits for the promise that its callback returns. The library of TypeScript does not say
 * so, and `no-misused-promises` believes it: https://github.com/microsoft/TypeScript/issues/47736.
 */
interface Promise<T> {
  finally(onfinally: () => PromiseLike<unknown>): Promise<T>;
}
