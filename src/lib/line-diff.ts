import { loadPackage } from './lazy.ts'

/**
 * A line of a diff. `from` is its line number in the old text, `to` its line number in the new text, both counted from
 * 1.
 */
export type DiffLine =
  | { kind: 'same'; text: string; from: number; to: number }
  | { kind: 'removed'; text: string; from: number }
  | { kind: 'added'; text: string; to: number }

/** Unchanged lines shown before and after a change. */
const CONTEXT_LINES = 3
/**
 * Maximum number of changes. A diff with more changes takes too long to compute: then all lines are shown as removed
 * and added.
 */
const MAX_EDIT_LENGTH = 1_000

/**
 * Returns the hunks of changed lines between two texts, each with {@link CONTEXT_LINES} lines around it. Returns an
 * empty list if the texts are equal.
 */
export function diffLines(before: string, after: string): DiffLine[][] {
  const { structuredPatch } = loadPackage<typeof import('diff')>('diff')
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDIT_LENGTH }
  const patch = structuredPatch('', '', `${before}\n`, `${after}\n`, undefined, undefined, options)
  if (!patch) return [replaceAll(before.split('\n'), after.split('\n'))]
  return patch.hunks.map(({ oldStart: from, newStart: to, lines }) =>
    lines.map((line): DiffLine => {
      const text = line.slice(1)
      if (line[0] === '-') return { kind: 'removed', text, from: from++ }
      if (line[0] === '+') return { kind: 'added', text, to: to++ }
      return { kind: 'same', text, from: from++, to: to++ }
    }),
  )
}

const replaceAll = (before: readonly string[], after: readonly string[]): DiffLine[] => [
  ...before.map((text, index): DiffLine => ({ kind: 'removed', text, from: index + 1 })),
  ...after.map((text, index): DiffLine => ({ kind: 'added', text, to: index + 1 })),
]
