// Apart from the prices themselves, which take a while to load.
export class PriceFileError extends Error {
  readonly code = 'CONFIG_INVALID';
  readonly hint = 'See docs/config.md for every setting.';
  readonly exit = 'usage';

  constructor(path: string, why: string) {
    super(`The price file ${path} cannot be used: ${why}`);
    this.name = 'PriceFileError';
  }
}
