/** Steps from faint to strong that the style sheet has colours for: `r0` to `r8`. */
const STEPS = 9
/** Up to this step text on a fill is the ink for faint ones. */
const LAST_LOW = 4

/** The step of one of `count` ordered fills; the first is the faintest. */
export const stepOf = (index: number, count: number): number =>
  count < 2 ? STEPS - 3 : Math.round((index * (STEPS - 1)) / (count - 1))

/** The classes of a fill, and of text on it. */
export const fillOf = (index: number, count: number): { fill: string; text: string } => {
  const step = stepOf(index, count)
  return { fill: `part r${step}`, text: step <= LAST_LOW ? 'low' : 'high' }
}
