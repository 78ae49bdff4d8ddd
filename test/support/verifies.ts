import type { RequirementId } from '../requirements.ts';

/**
 * Cites the rules that a test proves: the first line of its body, with literal ids. It does nothing
 * at run time; the compiler checks the ids and test/pins/requirements.test.ts reads the citations.
 */
export function verifies(..._ids: [RequirementId, ...RequirementId[]]): void {}
