import { diff } from '@codemirror/merge'

/** A line of two texts laid over each other; numbers from 1, each in its own text. */
export type DiffLine =
  | { kind: 'same'; text: string; from: number; to: number }
  | { kind: 'removed'; text: string; from: number }
  | { kind: 'added'; text: string; to: number }

/** Lines around a change that are shown with it. */
const AROUND = 3
/** Past this the search for the shortest way would take long; the result is right, only less tidy. */
const EFFORT = 1_000
/** A line is one character while it is compared; these are as many as there are outside the surrogates. */
const CHARACTERS = 0xd7ff

/**
 * The changes from one text to another, line by line, in stretches with a few unchanged lines around; none when they
 * are the same.
 */
export function diffLines(a: string, b: string): DiffLine[][] {
  const [before, after] = [a.split('\n'), b.split('\n')]
  const lines = overlay(before, after)
  const stretches: DiffLine[][] = []
  let last = Number.NEGATIVE_INFINITY
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue
    const from = Math.max(0, index - AROUND)
    if (from > last) {
      stretches.push(lines.slice(from, index + AROUND + 1))
    } else stretches.at(-1)!.push(...lines.slice(last, index + AROUND + 1))
    last = Math.min(lines.length, index + AROUND + 1)
  }
  return stretches
}

/** Both texts as one list of lines. */
function overlay(before: readonly string[], after: readonly string[]): DiffLine[] {
  const names = new Map<string, string>()
  const named = (line: string): string => {
    const name = names.get(line) ?? String.fromCharCode(Math.min(names.size, CHARACTERS))
    names.set(line, name)
    return name
  }
  const [a, b] = [before.map(named).join(''), after.map(named).join('')]
  const changes =
    names.size <= CHARACTERS
      ? diff(a, b, { scanLimit: EFFORT })
      : [{ fromA: 0, toA: a.length, fromB: 0, toB: b.length }]
  const lines: DiffLine[] = []
  let at = 0
  let shift = 0
  const same = (to: number) => {
    for (; at < to; at += 1) lines.push({ kind: 'same', text: before[at]!, from: at + 1, to: at + shift + 1 })
  }
  for (const { fromA, toA, fromB, toB } of changes) {
    same(fromA)
    for (let line = fromA; line < toA; line += 1) lines.push({ kind: 'removed', text: before[line]!, from: line + 1 })
    for (let line = fromB; line < toB; line += 1) lines.push({ kind: 'added', text: after[line]!, to: line + 1 })
    at = toA
    shift = toB - toA
  }
  same(before.length)
  return lines
}
