/** What a runner says is a link only where it leads to a page. */
export const isPage = (url: string | undefined): boolean =>
  url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url);
