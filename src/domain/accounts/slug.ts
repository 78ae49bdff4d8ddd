const LONGEST = 40;

/** A name as part of an address: small letters, digits and single hyphens. */
export function slugOf(name: string, otherwise = 'team'): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = plain.split(/[^a-z0-9]+/).filter((word) => word !== '');
  return words.join('-').slice(0, LONGEST).replace(/-$/, '') || otherwise;
}
