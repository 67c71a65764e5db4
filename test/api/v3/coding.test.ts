import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { respond } from '../../support/respondents.ts'
import { makeSurvey } from '../../support/responses.ts'
import { eraseSurvey } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
})

const STRUCTURE = {
  title: 'Texts',
  form: [
    {
      type: 'page',
      children: [
        { idname: 'text-response', id: 'why', title: 'Why?', children: [{ type: 'string' }] },
        {
          idname: 'single-choice',
          id: 'how',
          title: 'How?',
          children: [{ type: 'single', choices: [{ label: 'Well' }, { label: 'Other', other: true }] }],
        },
      ],
    },
  ],
}

let survey: number
let uri: string
let staff: number
let price: number
const ids: number[] = []
const TEXTS = ['Friendly STAFF', 'Too expensive', 'The staff, and the price', ' ']

beforeEach(async () => {
  survey = await makeSurvey(ann, STRUCTURE)
  uri = `/api/v3/surveys/${survey}/coding/`
  ids.length = 0
  for (const why of TEXTS) ids.push((await respond(world, survey, { answers: { why }, language: 'en' })).id)
  ids.push((await respond(world, survey, { answers: { how: 1, 'how\\other': 'Slowly' } })).id)
  staff = (await ann.post(`${uri}categories/`, { json: { name: 'Staff' } })).body.id
  price = (await ann.post(`${uri}categories/`, { json: { name: 'price', colour: '#ABCDEF' } })).body.id
})

const answer = (index: number, key = 'why') => ({ response_id: ids[index]!, key })
const code = (json: object, person = ann) => person.post(`${uri}answers/`, { json })
const list = async (query = '') => (await ann.get(`${uri}answers/?${query}`)).body.results
const texts = async (query = '') => (await list(query)).map(({ text }: { text: string }) => text)
const counts = async () =>
  Object.fromEntries(
    (await ann.get(`${uri}categories/`)).body.results.map(({ name, answers }: { name: string; answers: number }) => [
      name,
      answers,
    ]),
  )
const pool = () => world.application.services.pool
const codings = async () =>
  (await pool().query('select count(*)::integer as n from response_coding where survey_id = $1', [survey])).rows[0].n

/** Adds responses, of which one in 9,000 has the text `Rare`. */
const addResponses = (count: number) =>
  pool().query(
    `insert into response (survey_id, id, collector_id, completed, saves, created_at, updated_at, key, answers, language, username, ip_address, number)
     select survey_id, id + n * 1000, collector_id, 1, 1, now(), now(), decode(lpad(n::text, 40, '0'), 'hex'),
       jsonb_build_object('why', case when n % 9000 = 1 then 'Rare' else 'Common' end), '', '', '', 100 + n
     from response, generate_series(1, $3::integer) as n where survey_id = $1 and id = $2`,
    [survey, ids[0], count],
  )
async function runRules(): Promise<void> {
  await world.application.boss.send('apply-coding-rules', {})
  await world.runJobs()
}

describe('listCategories', () => {
  test('lists the categories by name, with their numbers of answers [spec 7.18]', async () => {
    await code({ answers: [answer(0), answer(2)], add: [staff] })
    expect((await ann.get(`${uri}categories/`)).body.results).toEqual([
      { id: price, name: 'price', description: '', colour: '#abcdef', answers: 0 },
      { id: staff, name: 'Staff', description: '', colour: expect.stringMatching(/^#[0-9a-f]{6}$/), answers: 2 },
    ])
  })

  test('shows nothing to another account', async () => {
    for (const reply of [
      await bob.get(`${uri}categories/`),
      await bob.post(`${uri}categories/`, { json: { name: 'A' } }),
      await bob.put(`${uri}categories/${staff}/`, { json: { name: 'A' } }),
      await bob.delete(`${uri}categories/${staff}/`),
      await bob.get(`${uri}answers/`),
      await bob.get(`${uri}answers/count/`),
      await code({ answers: [answer(0)], add: [staff] }, bob),
    ])
      expect([reply.status, reply.body.code]).toEqual([404, 'survey_not_found'])
  })
})

describe('createCategory', () => {
  test('rejects a name that is taken, regardless of case, and a colour that is none [spec 7.18]', async () => {
    const taken = await ann.post(`${uri}categories/`, { json: { name: ' STAFF ' } })
    expect([taken.status, taken.body.code]).toEqual([409, 'category_exists'])
    const colour = await ann.post(`${uri}categories/`, { json: { name: 'A', colour: 'red' } })
    expect([colour.status, colour.body.errors[0].field]).toEqual([400, 'colour'])
  })
})

describe('updateCategory', () => {
  test('changes the given members, and keeps the codings [spec 7.18]', async () => {
    await code({ answers: [answer(0)], add: [staff] })
    const { body } = await ann.put(`${uri}categories/${staff}/`, { json: { description: 'People' } })
    expect(body).toMatchObject({ name: 'Staff', description: 'People', answers: 1 })
    const other = await makeSurvey(ann, STRUCTURE)
    const foreign = await ann.put(`/api/v3/surveys/${other}/coding/categories/${staff}/`, { json: { name: 'A' } })
    expect([foreign.status, foreign.body.code]).toEqual([404, 'category_not_found'])
  })
})

describe('deleteCategory', () => {
  test('takes all answers out of the category, also those in the trash [spec 7.18]', async () => {
    await code({ answers: [answer(0), answer(1)], add: [staff, price] })
    await ann.delete(`/api/v3/surveys/${survey}/responses/${ids[1]}/`)
    expect((await ann.delete(`${uri}categories/${staff}/`)).status).toBe(200)
    await ann.post(`/api/v3/surveys/${survey}/responses/trash/${ids[1]}/`)
    expect(await counts()).toEqual({ price: 2 })
    expect((await list('contains=friendly'))[0].categories).toEqual([price])
    expect((await ann.delete(`${uri}categories/${staff}/`)).status).toBe(404)
  })
})

describe('listTextAnswers', () => {
  test('lists all texts of all questions, newest first, without blank ones [spec 7.18]', async () => {
    expect(await texts()).toEqual(['Slowly', 'The staff, and the price', 'Too expensive', 'Friendly STAFF'])
    expect((await list())[0]).toMatchObject({ question: 'how', key: 'how\\other', response_number: 5, language: '' })
    expect(await texts('question=why')).toHaveLength(3)
    expect(await texts(`question=${encodeURIComponent('how\\other')}`)).toEqual(['Slowly'])
    const unknown = await ann.get(`${uri}answers/?question=nope`)
    expect(unknown.body.errors[0]).toMatchObject({ field: 'question', code: 'unknown_question' })
  })

  test('finds a part of the text regardless of case, and says where it is [spec 7.18]', async () => {
    const found = await list('contains=staff')
    expect(found.map(({ text, highlights }: never) => [text, highlights])).toEqual([
      ['The staff, and the price', [{ start: 4, end: 9 }]],
      ['Friendly STAFF', [{ start: 9, end: 14 }]],
    ])
    expect(await texts('contains=%5B.%2A')).toEqual([])
  })

  test('pages by a cursor, which new responses do not shift [spec 7.18]', async () => {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await ann.get(`${uri}answers/?page_size=1${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.results.map(({ text }: { text: string }) => text))
      cursor = body.next_cursor
      await respond(world, survey, { answers: { why: 'Newer' } })
    }
    expect(seen).toEqual(['Slowly', 'The staff, and the price', 'Too expensive', 'Friendly STAFF'])
    const bad = await ann.get(`${uri}answers/?cursor=x`)
    expect(bad.body.errors[0]).toMatchObject({ field: 'cursor', code: 'invalid_cursor' })
  })

  test('finds every answer once, in a survey with more responses than one request searches [spec 7.18]', async () => {
    await addResponses(45_000)
    let cursor = ''
    let found = 0
    let requests = 0
    do {
      const { body } = await ann.get(`${uri}answers/?contains=rare${cursor && `&cursor=${cursor}`}`)
      found += body.results.length
      requests += 1
      cursor = body.next_cursor
    } while (cursor)
    expect([found, requests]).toEqual([5, 5])
    expect((await ann.get(`${uri}answers/count/?contains=rare`)).body).toEqual({ count: 5, complete: true })
  })

  test('selects answers by category and by whether they are coded [spec 7.18]', async () => {
    await code({ answers: [answer(0), answer(2)], add: [staff] })
    await code({ answers: [answer(1)], none: true })
    expect(await texts(`category=${staff}`)).toEqual(['The staff, and the price', 'Friendly STAFF'])
    expect(await texts(`category=${staff}&contains=friend&question=why`)).toEqual(['Friendly STAFF'])
    expect(await texts('coded=no')).toEqual(['Slowly'])
    expect(await texts('coded=none')).toEqual(['Too expensive'])
    expect(await texts('coded=yes')).toHaveLength(3)
  })
})

describe('the answers of a category', () => {
  test('are all listed once, on pages of any size, also if some texts were removed [spec 7.18]', async () => {
    await addResponses(60)
    await ann.post(`${uri}rules/`, { json: { contains: 'o', category: staff, apply: true } })
    await world.runJobs()
    const { rows } = await pool().query(
      `update response set answers = '{}' where survey_id = $1 and id % 3000 = $2::bigint % 3000 returning id`,
      [survey, ids[0]],
    )
    const expected = (await texts('contains=o&page_size=200')).length
    expect([rows.length, expected]).toEqual([21, expect.any(Number)])
    for (const size of [1, 7, 200]) {
      let cursor = ''
      const seen: string[] = []
      do {
        const { body } = await ann.get(
          `${uri}answers/?category=${staff}&page_size=${size}${cursor && `&cursor=${cursor}`}`,
        )
        seen.push(
          ...body.results.map((each: { response_id: number; key: string }) => `${each.response_id} ${each.key}`),
        )
        cursor = body.next_cursor
      } while (cursor)
      expect([new Set(seen).size, seen.length]).toEqual([expected, expected])
    }
  })
})

describe('countTextAnswers', () => {
  test('counts again after an answer is coded, corrected or deleted [spec 7.18]', async () => {
    const uncoded = async () => (await ann.get(`${uri}answers/count/?coded=no`)).body.count
    expect([await uncoded(), await uncoded()]).toEqual([4, 4])
    await code({ answers: [answer(0)], add: [staff] })
    expect(await uncoded()).toBe(3)
    const other = `/api/v3/surveys/${survey}/responses/${ids[1]}/`
    await ann.put(other, { json: { why: ' ' } })
    expect(await uncoded()).toBe(2)
    await ann.put(other, { json: { why: 'Too slow' } })
    expect(await uncoded()).toBe(3)
    await ann.delete(other)
    expect(await uncoded()).toBe(2)
  })

  test('counts the answers of a search [spec 7.18]', async () => {
    await code({ answers: [answer(0)], add: [staff] })
    for (const [query, count] of Object.entries({
      '': 4,
      'contains=STAFF': 2,
      [`category=${staff}`]: 1,
      'coded=no': 3,
    }))
      expect((await ann.get(`${uri}answers/count/?${query}`)).body).toEqual({ count, complete: true })
  })
})

describe('codeTextAnswers', () => {
  test('adds several categories to an answer and removes them [spec 7.18]', async () => {
    expect((await code({ answers: [answer(0)], add: [staff, price] })).status).toBe(200)
    expect((await list('contains=friendly'))[0]).toMatchObject({ categories: [staff, price], none: false })
    await code({ answers: [answer(0)], add: [staff], remove: [price] })
    expect((await list('contains=friendly'))[0].categories).toEqual([staff])
    await code({ answers: [answer(0)], none: true })
    expect((await list('contains=friendly'))[0]).toMatchObject({ categories: [], none: true })
    await code({ answers: [answer(0)], none: false })
    expect(await texts('coded=yes')).toEqual([])
    await code({ answers: [answer(0)], none: true })
    await code({ answers: [answer(0)], add: [price] })
    expect((await list('contains=friendly'))[0]).toMatchObject({ categories: [price], none: false })
    expect(await counts()).toEqual({ Staff: 0, price: 1 })
  })

  test('codes a text of an “other” choice [spec 7.18]', async () => {
    await code({ answers: [answer(4, 'how\\other')], add: [staff] })
    expect(await texts(`category=${staff}`)).toEqual(['Slowly'])
  })

  test('changes nothing if one answer or category does not exist [spec 7.18]', async () => {
    for (const [json, field, expected] of [
      [{ answers: [answer(0), answer(3)], add: [staff] }, 'answers', 'not_found'],
      [{ answers: [answer(0), { response_id: 999_999, key: 'why' }], add: [staff] }, 'answers', 'not_found'],
      [{ answers: [answer(0), answer(0, 'how')], add: [staff] }, 'answers', 'unknown_question'],
      [{ answers: [answer(0)] }, 'add', 'missing_parameter'],
      [{ answers: [answer(0)], add: [staff], none: true }, 'none', 'mutually_exclusive'],
    ] as const) {
      const reply = await code(json)
      expect([reply.status, reply.body.errors[0].field, reply.body.errors[0].code]).toEqual([400, field, expected])
    }
    const missing = await code({ answers: [answer(0)], add: [staff, 999_999] })
    expect([missing.status, missing.body.code]).toEqual([404, 'category_not_found'])
    expect(await codings()).toBe(0)
  })

  test('keeps the categories of an answer that is edited, and says that the text changed [spec 7.18]', async () => {
    await code({ answers: [answer(0)], add: [staff, price] })
    const edited = await ann.put(`/api/v3/surveys/${survey}/responses/${ids[0]}/`, { json: { why: 'Rude' } })
    expect(edited.status).toBe(202)
    expect((await list('contains=rude'))[0]).toMatchObject({ categories: [staff, price], changed: true })
    expect(await texts('coded=changed')).toEqual(['Rude'])
    await code({ answers: [answer(0)], add: [staff], remove: [price] })
    expect((await list('contains=rude'))[0]).toMatchObject({ categories: [staff], changed: false })
  })

  test('keeps the categories with a response in the trash, and erases them with it [spec 7.18]', async () => {
    await code({ answers: [answer(0), answer(1)], add: [staff] })
    await ann.delete(`/api/v3/surveys/${survey}/responses/${ids[0]}/`)
    expect([await counts(), await codings()]).toEqual([{ Staff: 1, price: 0 }, 1])
    await ann.post(`/api/v3/surveys/${survey}/responses/trash/${ids[0]}/`)
    expect((await list('contains=friendly'))[0]).toMatchObject({ categories: [staff], changed: false })
    await ann.delete(`/api/v3/surveys/${survey}/responses/${ids[0]}/`)
    await ann.delete(`/api/v3/surveys/${survey}/responses/trash/${ids[0]}/`)
    const { rows } = await pool().query(
      `select (select count(*) from response_coding where survey_id = $1 and response_id = $2)
         + (select count(*) from response_revision where survey_id = $1 and response_id = $2) as n`,
      [survey, ids[0]],
    )
    expect(Number(rows[0].n)).toBe(0)
  })

  test('deletes the categories and codings with the survey [spec 7.18]', async () => {
    await code({ answers: [answer(0)], add: [staff] })
    await eraseSurvey(ann, survey)
    const { rows } = await pool().query(
      `select (select count(*) from response_coding where survey_id = $1)
         + (select count(*) from response_coding_state where survey_id = $1)
         + (select count(*) from coding_category where survey_id = $1) as n`,
      [survey],
    )
    expect(Number(rows[0].n)).toBe(0)
  })
})

describe('createCodingRule', () => {
  test('puts answers that exist into the category in a job, but not those marked as fitting none [spec 7.18]', async () => {
    await code({ answers: [answer(2)], none: true })
    const rule = await ann.post(`${uri}rules/`, { json: { contains: 'staff', category: staff, apply: true } })
    expect(rule.body).toMatchObject({ contains: 'staff', question: null, category: staff, applied: false })
    expect(await counts()).toEqual({ Staff: 0, price: 0 })
    await world.runJobs()
    expect(await texts(`category=${staff}`)).toEqual(['Friendly STAFF'])
    expect((await ann.get(`${uri}rules/`)).body.results).toEqual([{ ...rule.body, applied: true }])
  })

  test('applies to new and edited answers in the background, and only then [spec 7.18]', async () => {
    const json = { contains: 'soup', question: 'why', category: price, applies_to_new: true }
    await ann.post(`${uri}rules/`, { json })
    const { id } = await respond(world, survey, { answers: { why: 'SOUP was cold', how: 1, 'how\\other': 'soup' } })
    await ann.put(`/api/v3/surveys/${survey}/responses/${ids[1]}/`, { json: { why: 'Expensive soup' } })
    expect(await counts()).toEqual({ Staff: 0, price: 0 })
    await runRules()
    expect(await texts(`category=${price}`)).toEqual(['SOUP was cold', 'Expensive soup'])
    await code({ answers: [{ response_id: id, key: 'why' }], remove: [price] })
    await runRules()
    expect(await texts(`category=${price}`)).toEqual(['Expensive soup'])
    const without = { contains: 'staff', category: staff }
    await ann.post(`${uri}rules/`, { json: without })
    await respond(world, survey, { answers: { why: 'More staff' } })
    await runRules()
    expect((await counts()).Staff).toBe(0)
  })

  test('applies to all answers of a survey with more responses than one step [spec 7.18]', async () => {
    await addResponses(45_000)
    await ann.post(`${uri}rules/`, { json: { contains: 'rare', category: staff, apply: true } })
    await world.runJobs()
    expect((await counts()).Staff).toBe(5)
    expect((await list(`category=${staff}`)).length).toBe(5)
  })

  test('rejects a question without texts and a category of another survey [spec 7.18]', async () => {
    const question = await ann.post(`${uri}rules/`, { json: { contains: 'a', category: staff, question: 'nope' } })
    expect(question.body.errors[0]).toMatchObject({ field: 'question', code: 'unknown_question' })
    const other = await makeSurvey(ann, STRUCTURE)
    const foreign = await ann.post(`/api/v3/surveys/${other}/coding/rules/`, {
      json: { contains: 'a', category: staff },
    })
    expect([foreign.status, foreign.body.code]).toEqual([404, 'category_not_found'])
  })
})

describe('applyCodingRule', () => {
  test('applies a rule again [spec 7.18]', async () => {
    const { id } = (await ann.post(`${uri}rules/`, { json: { contains: 'price', category: price } })).body
    expect((await ann.post(`${uri}rules/${id}/`)).status).toBe(202)
    await world.runJobs()
    expect((await counts()).price).toBe(1)
    expect((await bob.post(`${uri}rules/${id}/`)).status).toBe(404)
    expect((await ann.post(`${uri}rules/999999/`)).body.code).toBe('coding_rule_not_found')
  })
})

describe('deleteCodingRule', () => {
  test('deletes the rule, which listCodingRules then lacks, and keeps the coding [spec 7.18]', async () => {
    const json = { contains: 'staff', category: staff, apply: true, applies_to_new: true }
    const { id } = (await ann.post(`${uri}rules/`, { json })).body
    await world.runJobs()
    expect((await ann.delete(`${uri}rules/${id}/`)).status).toBe(200)
    await respond(world, survey, { answers: { why: 'staff' } })
    await runRules()
    expect([(await ann.get(`${uri}rules/`)).body.results, (await counts()).Staff]).toEqual([[], 2])
    expect((await ann.delete(`${uri}rules/${id}/`)).body.code).toBe('coding_rule_not_found')
  })
})

describe('listFrequentWords', () => {
  const words = async (query = '') => (await ann.get(`${uri}words/?${query}`)).body
  const answers = async (language: string, ...texts: string[]) => {
    for (const why of texts) await respond(world, survey, { answers: { why }, language })
  }

  test('counts the answers in which each word occurs, without stop words, by language [spec 7.18]', async () => {
    await answers('de-AT', 'Die Suppe war gut, die SUPPE', 'Suppe und Brot', 'Für 3 Euro')
    const { complete, languages } = await words()
    expect(complete).toBe(true)
    expect(languages.map(({ language, answers: n, stop_words }: never) => [language, n, stop_words])).toEqual([
      ['en', 4, true],
      ['de', 3, true],
    ])
    expect(languages[1].words).toContainEqual({ word: 'suppe', answers: 2 })
    const found = languages.flatMap((each: { words: { word: string }[] }) => each.words.map(({ word }) => word))
    expect(found).toEqual(expect.arrayContaining(['staff', 'price', 'brot', 'euro', 'slowly']))
    for (const left of ['the', 'and', 'die', 'und', 'war', 'für', '3']) expect(found).not.toContain(left)
    for (const opinion of ['gut', 'slowly']) expect(found).toContain(opinion)
    expect((await words('language=de')).languages).toHaveLength(1)
    expect((await words('question=how')).languages[0].words).toEqual([{ word: 'slowly', answers: 1 }])
    expect((await words('limit=1')).languages[0].words).toEqual([{ word: 'staff', answers: 2 }])
  })

  test('finds words that no space separates, and reads languages without a list [spec 7.18]', async () => {
    await answers('zh', '服务员非常友好', '服务员很慢')
    await answers('th', 'พนักงานเป็นมิตรมาก')
    await answers('x-tlh', 'Qapla batlh')
    const { languages } = await words()
    const of = (code: string) => languages.find(({ language }: { language: string }) => language === code)
    expect(of('zh').words).toContainEqual({ word: '友好', answers: 1 })
    expect(of('th').words.map(({ word }: { word: string }) => word)).toEqual(expect.arrayContaining(['พนักงาน', 'มิตร']))
    expect(of('x')).toMatchObject({ stop_words: false, answers: 1 })
    expect(of('x').words).toContainEqual({ word: 'qapla', answers: 1 })
  })

  test('reads a bounded number of responses, and says so [spec 7.18]', async () => {
    await addResponses(20_500)
    const { complete, languages } = await words()
    expect(complete).toBe(false)
    expect(languages[0].answers).toBeLessThanOrEqual(20_000)
  })

  test('is hidden from another account', async () => {
    expect((await bob.get(`${uri}words/`)).status).toBe(404)
  })
})
