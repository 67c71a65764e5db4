// A survey, and generated responses with twelve answers each. The responses are the same in every run.

const choices = (...labels: string[]) => labels.map((label) => ({ label }))
const FREQUENCY = choices('Never', 'Now and then', 'Often', 'Always, or nearly')
const option = (type: string, options: object[]) => [{ type, choices: options }]

/**
 * A survey with four text questions, five single choices (two of them are rows of a grid), one multiple choice, one
 * yes-or-no question, and one rating from 0 to 10.
 */
export const SURVEY = {
  title: 'Benchmark',
  form: [
    {
      type: 'page',
      children: [
        ...['name', 'city', 'reason', 'remark'].map((id) => ({ idname: 'text-response', id, title: `Your ${id}` })),
        ...['tea', 'milk', 'sugar'].map((id) => ({
          idname: 'single-choice',
          id,
          title: id,
          children: option('single', FREQUENCY),
        })),
        {
          idname: 'single-choice-grid',
          id: 'rate',
          title: 'Rate',
          choices: FREQUENCY,
          children: [{ label: 'Food' }, { label: 'Drink' }],
        },
        { idname: 'multiple-choice', id: 'days', title: 'Days', children: option('multiple', FREQUENCY) },
        { idname: 'boolean-choice', id: 'again', title: 'Again?' },
        { idname: 'net-promoter', id: 'nps', title: 'Recommend?' },
      ],
    },
  ],
}

const WORDS = 'the quick brown fox jumps over a lazy dog while seven wizards hum along'.split(' ')
const pick = (row: number, salt: number, count: number) =>
  (Math.imul(row + 1, 2_654_435_761 + salt * 40_503) >>> 4) % count
const text = (row: number, salt: number) =>
  Array.from({ length: 3 + pick(row, salt, 5) }, (_, i) => WORDS[pick(row, salt + i, WORDS.length)]).join(' ')

/** One answer in ten contains a comma, and one answer in fifty contains a quote and a line break. */
const answersOf = (row: number) => ({
  name: text(row, 1),
  city: WORDS[pick(row, 2, WORDS.length)],
  reason: text(row, 3) + (pick(row, 4, 10) === 0 ? ', you know' : ''),
  remark: text(row, 5) + (pick(row, 6, 50) === 0 ? ' "so"\nand more' : ''),
  tea: pick(row, 7, 4),
  milk: pick(row, 8, 4),
  sugar: pick(row, 9, 4),
  rate_0: pick(row, 10, 4),
  rate_1: pick(row, 11, 4),
  days: [0, 1, 2, 3].filter((day) => (pick(row, 12, 16) >> day) & 1),
  again: pick(row, 13, 2) === 0,
  nps: pick(row, 14, 11),
})

/** The columns of {@link copyRows}. */
export const COLUMNS =
  'survey_id, collector_id, completed, created_at, updated_at, completion_time, weighted_score, key, answers, language, ip_address, get_variables, referrer, number'

const START_MS = Date.UTC(2025, 0, 1)
const YEAR_MS = 365 * 86_400_000

/**
 * Yields responses in the format of COPY. Their times are in ascending order and evenly distributed over the year 2025.
 */
export function* copyRows(surveyId: number, collectorId: number, count: number): Generator<string> {
  for (let row = 0; row < count; row += 1) {
    const answers = JSON.stringify(answersOf(row)).replaceAll('\\', '\\\\')
    const key = row.toString(16).padStart(40, '0')
    const created = START_MS + Math.floor((row / count) * YEAR_MS)
    const updated = created + 60_000 + (row % 500) * 1000
    yield `${surveyId}\t${collectorId}\t${pick(row, 15, 3)}\t${iso(created)}\t${iso(updated)}\t${60 + (row % 500)}\t${row % 30}\t\\\\x${key}\t${answers}\ten\t203.0.113.${row % 250}\tutm=mail&a=${row % 10}\thttps://example.org/\t${row + 1}\n`
  }
}

const iso = (time: number): string => new Date(time).toISOString()
