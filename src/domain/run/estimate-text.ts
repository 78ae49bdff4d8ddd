/** Of an agent that worked with the person's own login: never to be taken for what was charged. Empty where none did. */
export function estimateText(estimatedUsd: number | null | undefined): string {
  if (estimatedUsd === undefined) return '';
  return estimatedUsd === null
    ? 'own login, no estimate'
    : `~$${estimatedUsd.toFixed(4)} estimated`;
}

/** Behind what was charged. */
export function plusEstimate(estimatedUsd: number | null | undefined): string {
  const text = estimateText(estimatedUsd);
  return text === '' ? '' : ` + ${text}`;
}
