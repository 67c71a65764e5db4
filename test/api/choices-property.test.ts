import { describe, expect, test } from '@jest/globals'
import { applyEdit, type Edit, type Item, lists, type Step, steps } from '../support/choice-edits.ts'
import { type ChosenItems, expectSuccess, type Lists, labelsByKey, Model } from '../support/choice-model.ts'
import { csvTable } from '../support/csv-table.ts'
import fc from '../support/fast-check.ts'
import { useReceiver } from '../support/receiver.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()

async function begin(): Promise<Model> {
  const ann = await world.person()
  let labels = 0
  const items = (count: number): Item[] => Array.from({ length: count }, () => ({ label: `L${labels++}` }))
  const initial: Lists = { one: items(3), many: items(3), rank: items(3), rows: items(2), columns: items(3) }
  const draft = new Model(world.base, ann, { id: 0, deploy_url: '' }, initial, labels)
  const created = { id: await makeSurvey(ann, draft.structure(undefined)), deploy_url: '' }
  created.deploy_url = expectSuccess(await ann.get(`/api/v3/surveys/${created.id}/`)).body.deploy_url
  const model = new Model(world.base, ann, created, initial, labels)
  expectSuccess(await ann.post(`${model.uri}filters/`, { json: { name: 'first', query: 'one=0' } }))
  expectSuccess(await ann.post(`${model.uri}reports/`, { json: { title: 'First', query: 'one=0' } }))
  expectSuccess(
    await ann.post('/api/v3/webhooks/', {
      json: { event: 'response_complete', survey: model.id, subscription_url: receiver.url('/hook') },
    }),
  )
  return model
}

async function edit(model: Model, edits: readonly Edit[], numbered: boolean) {
  const numbers = numbered ? await model.numbers() : undefined
  const savedLabels = new Map(lists.flatMap((list) => model.lists[list].map((item) => [item, item.label] as const)))
  for (const change of edits) model.lists[change.list] = applyEdit(model.lists[change.list], change, model.nextLabel)
  // A label that is set before its item is deleted in the same request never reaches the server.
  for (const [item, label] of savedLabels)
    if (!lists.some((list) => model.lists[list].includes(item))) item.label = label
  expectSuccess(await model.ann.put(`${model.uri}structure/`, { json: model.structure(numbers) }))
  model.recordVersion()
}

async function restore(model: Model, index: number) {
  const version = (index % model.versions.length) + 1
  expectSuccess(await model.ann.post(`${model.uri}versions/`, { json: { restore: version } }))
  const items = model.versions[version - 1]!
  for (const list of lists) model.lists[list] = items.filter((item) => item.list === list).map(({ item }) => item)
  for (const { item, label } of items) item.label = label
  model.recordVersion()
}

async function respond(model: Model, picks: readonly number[]) {
  const { one, many, rank, rows, columns } = model.lists
  const pick = (items: readonly Item[], by: number) => items[picks[by]! % items.length]!
  const chosen: ChosenItems = {
    one: pick(one, 0),
    many: many.filter((_, index) => (picks[1]! >> (index % 3)) % 2 === 0),
    rank: [...rank.slice(picks[2]! % rank.length), ...rank.slice(0, picks[2]! % rank.length)],
    grid: new Map(rows.map((row, index) => [row, pick(columns, 3 + (index % 4))])),
    labels: {},
  }
  const answers: Record<string, unknown> = { one: one.indexOf(chosen.one), _completed: 1 }
  if (chosen.many.length > 0) answers.many = chosen.many.map((item) => many.indexOf(item))
  answers.rank = chosen.rank.map((item) => rank.indexOf(item))
  for (const [index, row] of rows.entries()) answers[`grid_${index}`] = columns.indexOf(chosen.grid.get(row)!)
  chosen.labels = labelsByKey(model, chosen)
  const { body } = expectSuccess(await model.ann.post(`${model.uri}responses/`, { json: answers }))
  model.responses.set(body.id, chosen)
}

const sorted = (items: readonly string[]) => [...items].sort()

async function readLists(model: Model) {
  const { one, many, rank, rows, columns } = model.lists
  const { body: named } = await model.ann.get(`${model.uri}responses/?include_labels&page_size=100`)
  const { body: plain } = await model.ann.get(`${model.uri}responses/?page_size=100`)
  expect(named.count).toBe(model.responses.size)
  for (const [at, response] of named.results.entries()) {
    const chosen = model.responses.get(response._id)!
    expect(response.one).toBe(chosen.one.label)
    expect(sorted(response.many ?? [])).toEqual(sorted(chosen.many.map(({ label }) => label)))
    expect(response.rank).toEqual(chosen.rank.map(({ label }) => label))
    const unlabelled = plain.results[at]
    const indicesOf = (list: readonly Item[], items: readonly Item[]) => {
      const found = items.map((item) => list.indexOf(item)).filter((index) => index >= 0)
      return found.length > 0 ? found : undefined
    }
    expect(unlabelled.one).toBe(indicesOf(one, [chosen.one])?.[0])
    expect(unlabelled.many).toEqual(indicesOf(many, chosen.many)?.sort((a, b) => a - b))
    expect(unlabelled.rank).toEqual(indicesOf(rank, chosen.rank))
    for (const [index, row] of rows.entries()) {
      const column = chosen.grid.get(row)
      expect(response[`grid_${index}`]).toBe(column?.label)
      expect(unlabelled[`grid_${index}`]).toBe(column && indicesOf(columns, [column])?.[0])
    }
    expect(Object.keys(response).filter((key) => key.startsWith('grid_')).length).toBe(
      rows.filter((row) => chosen.grid.has(row)).length,
    )
  }
}

async function readFilters(model: Model) {
  const found = async (query: string) =>
    expectSuccess(await model.ann.get(`${model.uri}responses/?page_size=100&${query}`)).body.results.map(
      ({ _id }: { _id: number }) => _id,
    )
  const idsWhere = (test: (chosen: ChosenItems) => boolean) =>
    [...model.responses].filter(([, chosen]) => test(chosen)).map(([id]) => id)
  const check = async (key: string, items: readonly Item[], test: (chosen: ChosenItems, item: Item) => boolean) => {
    for (const [index, item] of items.entries()) {
      const expected = idsWhere((chosen) => test(chosen, item))
      expect(await found(`${key}=${index}`)).toEqual(expected)
      expect(await found(`${key}=${item.label}`)).toEqual(expected)
    }
  }
  const { one, many, rank, rows, columns } = model.lists
  await check('one', one, (chosen, item) => chosen.one === item)
  await check('many', many, (chosen, item) => chosen.many.includes(item))
  await check('rank', rank, (chosen, item) => chosen.rank.includes(item))
  for (const [index, row] of rows.entries())
    await check(`grid_${index}`, columns, (chosen, item) => chosen.grid.get(row) === item)
  expect(await found('one<1')).toEqual(idsWhere((chosen) => chosen.one === one[0]))
  expect(await found(`many%5C0=1`)).toEqual(idsWhere((chosen) => chosen.many.includes(many[0]!)))
  for (const deleted of new Set([...model.responses.values()].map((chosen) => chosen.one)))
    if (!one.includes(deleted))
      expect(await found(`one=${deleted.label}`)).toEqual(idsWhere((chosen) => chosen.one === deleted))
  expect(await found('filter=first')).toEqual(idsWhere((chosen) => chosen.one === model.first))
}

async function readFiles(model: Model) {
  const file = async (query: string) => csvTable(expectSuccess(await model.ann.get(`${model.uri}csv/?${query}`)).text)
  const { one, many, rank, rows } = model.lists
  const named = await file('include_labels=1')
  const plain = await file('')
  expect(named.length).toBe(model.responses.size)
  for (const [at, row] of named.entries()) {
    const chosen = model.responses.get(Number(row._id))!
    expect(row.one).toBe(chosen.one.label)
    expect(plain[at]!.one).toBe(one.includes(chosen.one) ? String(one.indexOf(chosen.one)) : '')
    const labelled = many.flatMap((item, index) => (row[`many\\${index}`] ? [item.label] : []))
    const deleted = row['many\\removed'] ? row['many\\removed'].split(', ') : []
    expect(sorted([...labelled, ...deleted])).toEqual(sorted(chosen.many.map(({ label }) => label)))
    for (const [index, item] of rank.entries())
      expect(row[`rank\\${index}`]).toBe(chosen.rank.includes(item) ? String(chosen.rank.indexOf(item) + 1) : '')
    for (const [index, item] of rows.entries()) expect(row[`grid_${index}`]).toBe(chosen.grid.get(item)?.label ?? '')
  }
  const lines = await file('inverted=1&include_labels=1')
  const ones = lines.filter(({ key }) => key === 'one').map((line) => [Number(line['response id']), line.value])
  expect(ones).toEqual([...model.responses].map(([id, { one: item }]) => [id, item.label]))
}

interface ChoiceCount {
  label: { en: string }
  count: number
}

async function readReports(model: Model) {
  const { body: created } = expectSuccess(await model.ann.post(`${model.uri}reports/`, { json: { title: 'All' } }))
  const { body } = expectSuccess(await model.ann.get(created.report_uri))
  const countsOf = (summary: { choices: ChoiceCount[]; removed_choices?: ChoiceCount[] }) =>
    Object.fromEntries(
      [...summary.choices, ...(summary.removed_choices ?? [])]
        .filter(({ count }) => count > 0)
        .map(({ label, count }) => [label.en, count]),
    )
  const expectedCounts = (items: (chosen: ChosenItems) => readonly (Item | undefined)[]) => {
    const counts: Record<string, number> = {}
    for (const chosen of model.responses.values())
      for (const item of items(chosen)) if (item) counts[item.label] = (counts[item.label] ?? 0) + 1
    return counts
  }
  const [one, many, rank, grid] = body.questions
  expect(countsOf(one)).toEqual(expectedCounts((chosen) => [chosen.one]))
  expect(countsOf(many)).toEqual(expectedCounts((chosen) => chosen.many))
  expect(countsOf(rank)).toEqual(expectedCounts((chosen) => chosen.rank))
  for (const [index, row] of model.lists.rows.entries())
    expect(countsOf(grid.rows[index])).toEqual(expectedCounts((chosen) => [chosen.grid.get(row)]))
  const { body: reports } = await model.ann.get(`${model.uri}reports/`)
  const first = expectSuccess(await model.ann.get(reports.results[0].report_uri)).body
  expect(first.responses.total).toBe(
    [...model.responses.values()].filter((chosen) => chosen.one === model.first).length,
  )
}

async function readConditions(model: Model) {
  const { one: numbers } = await model.numbers()
  for (const [item, uid] of numbers) {
    const form = { _page: '1', _go: 'look', one: String(uid) }
    const { body } = expectSuccess(await world.anonymous.post(`${model.path}${'a'.repeat(40)}/`, { form }))
    expect(body.shown.includes('extra')).toBe(item === model.first)
  }
}

async function readWebhooks(model: Model) {
  await world.runJobs()
  for (const { form } of receiver.received('/hook')) {
    const event = Object.fromEntries(form)
    const answers = model.responses.get(Number(event._id))
    if (answers) expect(event).toMatchObject(answers.labels)
  }
}

async function runScript(script: readonly Step[]) {
  const model = await begin()
  await respond(model, [0, 1, 2, 3, 4, 5, 0, 1])
  for (const step of script) {
    if (step.kind === 'edit') await edit(model, step.edits, step.numbered)
    else if (step.kind === 'respond') await respond(model, step.picks)
    else await restore(model, step.version)
  }
  await readLists(model)
  await readFilters(model)
  await readFiles(model)
  await readReports(model)
  await readConditions(model)
  await readWebhooks(model)
}

describe('after any edits of a structure', () => {
  test('every read shows each answer under the last label of its choice, even if the choice was moved, renamed or deleted', async () => {
    await fc.assert(fc.asyncProperty(steps, runScript), { numRuns: 15 })
  })
})
