// Apart from the prices themselves, which take a while to load.
export class PriceFileError extends Error {
  constructor(path: string, why: string) {
    super(`The price file ${path} cannot be used: ${why}`);
    this.name = 'PriceFileError';
  }
}
