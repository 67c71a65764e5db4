import { beforeAll, describe, expect, test } from '@jest/globals'
import { surveyWithQuestions } from '../support/exports.ts'
import { expectSameAsCodebook, exported, type Format, type HardSurvey, hardSurvey } from '../support/hard-survey.ts'
import { readWithPython } from '../support/statistics-programs.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
let hard: HardSurvey
let file: Buffer

beforeAll(async () => {
  hard = await hardSurvey(world)
  file = await exported(hard, world, 'parquet')
})

const parquetFormat: Format = {
  label: (text) => text,
  valueLabel: (text) => text,
  text: (text) => text || null,
  tick: (cell) => cell === '1',
  instant: (cell, type) => (type !== 'date' && /^(?:.* )?\d\d:\d\d$/.test(cell) ? `${cell}:00` : cell),
}

interface Codebook {
  title: string
  variables: { name: string; label: string; measure: string; values: { value: string; label: string }[] }[]
}

describe.each([
  [
    'pyarrow',
    [
      'bool',
      'int32',
      'int64',
      'double',
      'date32[day]',
      'time32[ms]',
      'timestamp[ms]',
      'timestamp[ms, tz=UTC]',
      'string',
    ],
  ],
  [
    'duckdb',
    ['BOOLEAN', 'INTEGER', 'BIGINT', 'DOUBLE', 'DATE', 'TIME', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE', 'VARCHAR'],
  ],
] as const)('%s', (program, types) => {
  test('reads the Parquet file: names, types, codebook and every cell', async () => {
    const read = await readWithPython(program, 'all.parquet', file)
    expect(read.cases).toBe(hard.cases)
    const codebook: Codebook = JSON.parse(read.metadata.codebook!)
    expect(codebook.title).toBe('Every type')
    expect(codebook.variables.map(({ name }) => name)).toEqual(read.names)
    const variables = codebook.variables.map((variable) => ({
      ...variable,
      values: Object.fromEntries(variable.values.map(({ value, label }) => [value, label])),
    }))
    const cells = expectSameAsCodebook(hard, { variables, rows: read.rows }, parquetFormat)
    console.info(`${program} ${read.version} read ${cells} cells of Parquet`)
    const sample = 'drinks_1 nps response_id price day clock moment response_created_at mail'.split(' ')
    expect(sample.map((name) => read.types[name])).toEqual(types)
  })
})

test('exportParquet: a file of several row groups has every response once, in order', async () => {
  const count = 12_000
  const survey = await surveyWithQuestions(world, hard.ann, 'Long', [
    { idname: 'text-response', id: 'remark', title: 'Remark' },
  ])
  await world.application.services.pool.query(
    `insert into response (survey_id, collector_id, key, answers, created_at, updated_at, completed)
     select $1, $2, decode(lpad(to_hex(n), 40, '0'), 'hex'),
       case when n % 7 = 0 then '{}' else jsonb_build_object('remark', repeat('é' || n, n % 9 + 1)) end,
       '2026-01-15T12:00:00Z'::timestamptz + n * interval '1 second', '2026-02-15T12:00:00Z', n % 3
     from generate_series(1, $3::integer) n`,
    [survey.id, survey.defaultCollector.id, count],
  )
  const long = await exported({ ...hard, survey: survey.id }, world, 'parquet')
  const read = await readWithPython('pyarrow', 'long.parquet', long)
  expect([read.cases, read.groups]).toEqual([count, 3])
  const expected = Array.from({ length: count }, (_, i) => {
    const n = i + 1
    const created = new Date(Date.UTC(2026, 0, 15, 12) + n * 1000).toISOString().slice(0, 19).replace('T', ' ')
    return [n % 3, created, n % 7 === 0 ? null : `é${n}`.repeat((n % 9) + 1)]
  })
  expect(
    read.rows.map(({ response_completed: state, response_created_at: at, remark }) => [state, at, remark]),
  ).toEqual(expected)
})
