// Lists of ids as one parameter.

/**
 * For `any(...)`. The planner does not see how long the list is. Where it does, a list of one is so much cheaper than the
 * ten that it expects of any list, that it plans a prepared statement anew for each call, which takes longer than to run it.
 */
export const listOf = (parameter: string): string => `(select ${parameter}::text[])::text[]`;
