// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of XLSForms refer to questions as ${name}
import { beforeAll, describe, expect, test } from '@jest/globals'
import { createTaskSandbox } from '../../../src/domain/sandbox.ts'
import fc from '../../support/fast-check.ts'
import { tasksThat, waitingTasks } from '../../support/sandbox.ts'
import { makeWorkbook, makeZip, type SheetCells, WORKBOOK_TYPE, workbookFiles } from '../../support/workbook.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person()
  bob = await world.person()
})

const send = (file: Buffer<ArrayBuffer>, person = ann) =>
  person.post('/api/v3/xlsform/', { body: file, headers: { 'content-type': WORKBOOK_TYPE } })
const range = (count: number) => Array.from({ length: count }, (_, index) => index)
const choices = (count: number): SheetCells => [
  ['list_name', 'name', 'label'],
  ...range(count).map((index) => ['list', `c${index}`, `Choice ${index}`]),
]

describe('convertXlsform, limits', () => {
  const SURVEY: SheetCells = [
    ['type', 'name', 'label'],
    ['text', 'q', 'Question'],
  ]
  const withSheet = (start: string) => {
    const files = workbookFiles({ survey: SURVEY })
    const sheet = files['xl/worksheets/sheet1.xml']!
    return makeZip({ ...files, 'xl/worksheets/sheet1.xml': sheet.replace('<sheetData>', `${start}<sheetData>`) })
  }

  test.each([
    [
      '501 columns',
      () => makeWorkbook({ survey: [['type', ...range(500).map((index) => `label::l${index}`)], ['text']] }),
      'each sheet must have at most 500 columns',
    ],
    [
      'an element with 201 attributes',
      () =>
        withSheet(
          `<x ${range(201)
            .map((index) => `a${index}="1"`)
            .join(' ')}/>`,
        ),
      'an element must have at most 200 attributes',
    ],
    [
      'an element with 201 namespaces',
      () =>
        withSheet(
          `<x ${range(201)
            .map((index) => `xmlns:a${index}="u"`)
            .join(' ')}/>`,
        ),
      'an element must have at most 200 attributes',
    ],
    [
      'a long comment',
      () => withSheet(`<!--${'x'.repeat(65_537)}-->`),
      'it must have at most 65536 characters in XML comments',
    ],
    [
      'many comments',
      () => withSheet('<!-- 20 characters. -->'.repeat(5000)),
      'it must have at most 65536 characters in XML comments',
    ],
    [
      'a long processing instruction',
      () => withSheet(`<?x ${'x'.repeat(65_537)}?>`),
      'it must have at most 65536 characters in XML comments',
    ],
    [
      'a group of 500 questions with a condition of 480 rules',
      () =>
        makeWorkbook({
          survey: [
            ['type', 'name', 'label', 'relevant', 'appearance'],
            ['integer', 'age', 'Age'],
            ['begin group', 'page', 'Page', '', 'field-list'],
            [
              'begin group',
              'g',
              'Group',
              range(480)
                .map((index) => `\${age} > ${index}`)
                .join(' or '),
            ],
            ...range(500).map((index) => ['text', `q${index}`, 'Question']),
            ['end group'],
            ['end group'],
          ],
        }),
      'the survey must have at most 10000 rules in conditions',
    ],
    [
      '288 questions with one list of 700 choices',
      () =>
        makeWorkbook({
          survey: [
            ['type', 'name', 'label'],
            ...range(288).map((index) => ['select_one list', `q${index}`, 'Question']),
          ],
          choices: choices(700),
        }),
      'the survey must have at most 100000 values',
    ],
  ])('returns 400 for %s', async (_, file, message) => {
    const { status, body } = await send(await file())
    expect([status, body.code]).toEqual([400, 'invalid_xlsform'])
    expect(body.errors).toEqual([
      expect.objectContaining({
        field: 'file',
        code: 'workbook_too_large',
        message: expect.stringContaining(message),
      }),
    ])
  })

  test('returns 400 for a comment that does not end', async () => {
    expect((await send(await withSheet(`<!--${'x'.repeat(600_000)}`))).body.errors).toMatchObject([
      { field: 'file', code: 'damaged_workbook' },
    ])
  })

  test('leaves out languages without texts', async () => {
    const { body } = await send(
      await makeWorkbook({
        survey: [
          ['type', 'name', 'label::English (en)', ...range(300).map((index) => `label::L${index} (x${index}x)`)],
          ['text', 'q', 'Question'],
        ],
      }),
    )
    expect(body.structure.languages).toEqual([{ code: 'en', name: 'English', isDefault: true }])
    expect(body.structure.form[0].children[0].title).toEqual({ en: 'Question' })
  })

  test('returns only structures that createSurvey accepts', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 })
    const row = fc.tuple(
      fc.constantFrom('text', 'integer', 'select_one list', 'select_multiple list or_other', 'rank list', 'note'),
      fc.constantFrom('a', 'b', 'c', ''),
      text,
      fc.constantFrom('', "${a} = 'c1'", '${b} > 3', "selected(${c}, 'c2')"),
    )
    const form = fc.record({
      rows: fc.array(row, { minLength: 1, maxLength: 12 }),
      copies: fc.constantFrom(1, 1, 8, 60),
      listed: fc.constantFrom(1, 3, 40, 1000),
    })
    await fc.assert(
      fc.asyncProperty(form, async ({ rows, copies, listed }) => {
        const survey: string[][] = [['type', 'name', 'label', 'relevant'], ...range(copies).flatMap(() => rows)]
        const { status, body } = await send(await makeWorkbook({ survey, choices: choices(listed) }))
        expect([200, 400]).toContain(status)
        if (status === 400) return
        const created = await ann.post('/api/v3/surveys/', {
          json: { name: 'Imported', initial_structure: body.structure },
        })
        expect(created.status).toBe(201)
      }),
      { numRuns: 15 },
    )
  })

  describe('of time', () => {
    async function runWith(options: Parameters<typeof createTaskSandbox>[0]) {
      await world.application.services.sandbox.close()
      world.application.services.sandbox = createTaskSandbox({ timeoutMs: 60_000, ...options })
    }

    test('returns 400 for a file that takes too long, and does not delay other requests', async () => {
      await runWith({ ...(await waitingTasks()), timeoutMs: 500 })
      const converting = send(await makeWorkbook({ survey: SURVEY }))
      expect((await world.anonymous.get('/healthz')).status).toBe(200)
      expect(await converting).toMatchObject({
        status: 400,
        body: { code: 'invalid_xlsform', errors: [{ field: 'file', code: 'workbook_too_complex' }] },
      })
    })

    test('returns 400 for a file that takes too much memory', async () => {
      await runWith({ ...tasksThat('fill memory'), maxHeapMegabytes: 64 })
      expect(await send(await makeWorkbook({ survey: SURVEY }))).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'file', code: 'workbook_too_complex' }] },
      })
    })

    test('converts one file of an account at a time, and returns 429 for the fifth', async () => {
      const { open, ...tasks } = await waitingTasks()
      await runWith(tasks)
      const file = await makeWorkbook({ survey: SURVEY })
      const requests = range(5).map(() => send(file))
      const refused = await Promise.race(requests)
      expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
        429,
        'too_many_requests',
        '5',
      ])
      // The other account has the second process.
      const other = send(file, bob)
      await open()
      expect((await Promise.all([...requests, other])).map(({ status }) => status).sort()).toEqual([
        400, 400, 400, 400, 400, 429,
      ])
    })
  })
})
