/**
 * Members that editors of the service before Canvass write into structures. They are stored. Only `appearance` has an
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
