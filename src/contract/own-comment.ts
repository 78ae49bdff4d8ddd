// Comments on a forge that are ours.

/** Nobody sees it: by it our own words are known again. */
export const OWN_COMMENT_MARK = '<!-- millrace -->';
