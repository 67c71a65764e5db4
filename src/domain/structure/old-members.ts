/**
 * Members that the editors of the original service, which Canvass replaces, write into structures. Canvass stores these
 * members. Only `appearance`, the `categories` of a net-promoter question and the `uid` of a choice or row have an
 * effect.
 */
export const oldMembers: readonly string[] = [
  'alphabetize',
  'alternateBackground',
  'appearance',
  'categories',
  'cols',
  'display',
  'flipOrder',
  'grouped',
  'has_cols',
  'questionSize',
  'randomizeLimit',
  'showBorders',
  'showBranchingInfo',
  'showCatLabels',
  'static',
  'staticcol',
  'uid',
  'unique',
  'uniqueError',
  'uniques',
]
