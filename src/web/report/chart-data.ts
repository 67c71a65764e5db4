import type { ChartKind } from '../../domain/report/chart-kind.ts'
import type { ChoiceFigures, FieldStats, QuestionStats, RemovedFigures } from '../../domain/report/question-stats.ts'
import { percentage } from '../../domain/report/stats.ts'
import { MAX_LISTED_POSITIONS } from '../../domain/structure/cells.ts'
import type { Voice } from './i18n.ts'
import type { Bar, Plot, StackedRow } from './plot.ts'

/** The address of the report with one more condition, such as `q1=0`; undefined where nobody may filter. */
export type Narrow = (condition: string) => string | undefined

/** What is drawn of a question; nothing of one whose answers are written. */
export function plotOf(
  { question, fields }: QuestionStats,
  kind: ChartKind | undefined,
  voice: Voice,
  narrow: Narrow,
): Plot | undefined {
  const [first] = fields
  if (!first?.choices || !kind) return undefined
  const rows = fields.filter(({ row }) => row)
  const lost = rows.some(({ removed }) => removed)
  const bars = () => [
    ...first.choices!.map((one) => barOf(first, one, voice, narrow)),
    ...(first.removed ?? []).map((one) => removedBar(one, voice)),
  ]
  switch (kind) {
    case 'bars':
    case 'columns':
      return { kind, bars: bars() }
    case 'gauge':
      return { kind, score: first.promoters?.score ?? null, parts: promoterBars(first, narrow) }
    case 'places':
      return placesOf(first, voice)
    case 'means': {
      const scores = question.choices.map(({ score }) => score)
      const dots = rows.map(({ row, mean = null, answered }) => ({ label: voice(row!.label), mean, count: answered }))
      return { kind: 'dots', of: 'score', low: Math.min(...scores), high: Math.max(...scores), dots }
    }
    case 'stacked':
      return rows.length > 0
        ? {
            kind,
            columns: [...question.choices.map(({ label }) => voice(label)), ...(lost ? [REMOVED] : [])],
            rows: rows.map((row) => gridRow(row, lost, voice, narrow)),
          }
        : first.choices.length > MAX_LISTED_POSITIONS
          ? placesOf(first, voice)
          : placesStacked(first, voice)
  }
}

const asked = ({ field }: FieldStats, operator: string, value: number | string) =>
  `${encodeURIComponent(field.key)}${operator}${value}`

/** How a choice is asked for: the two of a yes-no question are stored as true and false. */
const conditionOf = (figures: FieldStats, index: number) =>
  asked(figures, '=', figures.field.type === 'boolean' ? String(index === 0) : index)

const barOf = (
  figures: FieldStats,
  { choice, count, percentage: share }: ChoiceFigures,
  voice: Voice,
  narrow: Narrow,
): Bar => ({
  label: voice(choice.label) || String(choice.index),
  count,
  percentage: share,
  href: narrow(conditionOf(figures, choice.index)),
})

/** What a choice is called that was made and is no longer offered. */
const REMOVED = 'Removed choices'

/** The label of a choice that is no longer offered. */
export const removedLabel = ({ choice }: RemovedFigures, voice: Voice): string => `${voice(choice.label)} (removed)`

const removedBar = (removed: RemovedFigures, voice: Voice): Bar => ({
  label: removedLabel(removed, voice),
  count: removed.count,
  percentage: removed.percentage,
})

/** @param lost whether choices were made in some row that are no longer offered: they share one part */
function gridRow(figures: FieldStats, lost: boolean, voice: Voice, narrow: Narrow): StackedRow {
  const parts = figures.choices!.map(({ choice, count, percentage: share }) => ({
    count,
    percentage: share,
    href: narrow(conditionOf(figures, choice.index)),
  }))
  const count = (figures.removed ?? []).reduce((sum, removed) => sum + removed.count, 0)
  return {
    label: voice(figures.row!.label),
    answered: figures.answered,
    parts: lost ? [...parts, { count, percentage: percentage(count, figures.answered) }] : parts,
  }
}

function promoterBars(figures: FieldStats, narrow: Narrow): Bar[] {
  const { promoters = 0, passives = 0, detractors = 0 } = figures.promoters ?? {}
  const all = promoters + passives + detractors
  const part = (label: string, count: number, condition: string): Bar => ({
    label,
    count,
    percentage: percentage(count, all),
    href: narrow(condition),
  })
  return [
    part('Detractors, 0 to 6', detractors, asked(figures, '<=', 6)),
    part('Passives, 7 and 8', passives, `${asked(figures, '>=', 7)}&${asked(figures, '<=', 8)}`),
    part('Promoters, 9 and 10', promoters, asked(figures, '>=', 9)),
  ]
}

/** Mean places, the best first; what nobody has placed comes last. */
function placesOf({ choices = [] }: FieldStats, voice: Voice): Plot {
  const dots = choices
    .map(({ choice, count, meanPlace = null }) => ({ label: voice(choice.label), mean: meanPlace, count }))
    .sort((a, b) => (a.mean ?? Infinity) - (b.mean ?? Infinity))
  return { kind: 'dots', of: 'place', low: 1, high: placesAmong(choices), dots }
}

const placesAmong = (choices: readonly ChoiceFigures[]): number => choices[0]?.places?.length ?? choices.length

function placesStacked({ choices = [] }: FieldStats, voice: Voice): Plot {
  return {
    kind: 'stacked',
    columns: Array.from({ length: placesAmong(choices) }, (_, place) => `Rank ${place + 1}`),
    rows: choices.map(({ choice, count, places = [] }) => ({
      label: voice(choice.label),
      answered: count,
      parts: places.map((at) => ({ count: at, percentage: percentage(at, count) })),
    })),
  }
}
