/** Before a path of the API: the same read, for the dashboard's own pages. */
export const PAGE_READS = '/pages';
