import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import { counts, makeSurvey, TWO_PAGES } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
})

const send = (survey: number, body: string) =>
  ann.post(`/api/v2/surveys/${survey}/responses/`, { body, headers: { 'content-type': 'text/csv; charset=utf-8' } })

const rows = (survey: number) =>
  world
    .em()
    .getKysely<Tables>()
    .selectFrom('response')
    .selectAll()
    .where('survey_id', '=', survey)
    .orderBy('id')
    .execute()

describe('createResponse with text/csv [spec 7.12]', () => {
  test('creates complete responses from rows whose header names question IDs', async () => {
    const survey = await makeSurvey(ann)
    const reply = await send(survey, '\ufeffq1,q3,grid_0\r\n0,"a ""b"",\r\nc",Good\r\nNo,,1\r\n')
    expect([reply.status, reply.body]).toEqual([200, { success: true, imported: 2, skipped: 0, default_collector: 0 }])
    expect(
      (await rows(survey)).map(({ answers, completed, weighted_score }) => ({ answers, completed, weighted_score })),
    ).toEqual([
      { answers: { q1: 0, q3: 'a "b",\r\nc', grid_0: 0 }, completed: 1, weighted_score: 11 },
      { answers: { q1: 1, grid_0: 1 }, completed: 1, weighted_score: 7 },
    ])
    expect(await counts(world, survey)).toEqual({ rows: 2, feed: 2, collectors: 2 })
  })

  test('accepts the headers of an export, with a separate column for each choice', async () => {
    const survey = await makeSurvey(ann)
    const header = ['{q1} Content?', '{q1\\other}', 'q2\\0', 'q2\\1', 'q2\\2', 'rank\\0', 'rank\\1', 'rank\\2']
    const reply = await send(survey, `${header.join(',')}\n2,maybe,0,,Blue,2,3,1\n`)
    expect(reply.body).toMatchObject({ success: true, imported: 1 })
    expect((await rows(survey))[0]?.answers).toEqual({ q1: 2, 'q1\\other': 'maybe', q2: [0, 2], rank: [2, 0, 1] })
  })

  test('stores metadata columns and ignores derived columns', async () => {
    const survey = await makeSurvey(ann)
    const key = 'ab'.repeat(20)
    const columns =
      '_completed,_id,_created_at,_language,_ip_address,_locale,_completion_time,_saves,_weighted_score,_key'
    await send(survey, `${columns},q3\nIncomplete,5,2020-02-03T04:05:06,fr,10.0.0.1,3,42,9,1.5,${key},x\n`)
    const [row] = await rows(survey)
    expect(row).toMatchObject({
      completed: 0,
      language: 'fr',
      ip_address: '10.0.0.1',
      locale: 3,
      completion_time: 42,
      saves: 1,
      weighted_score: null,
    })
    expect(row?.key.toString('hex')).toBe(key)
    expect(new Date(row!.created_at).toISOString()).toBe('2020-02-03T04:05:06.000Z')
    expect(new Date(row!.updated_at)).toEqual(world.now)
    const feed = await ann.get(`/api/v3/surveys/${survey}/responses/changes/`)
    expect(feed.body.results).toMatchObject([{ seq: 1, kind: 'created', at: world.now.toISOString() }])
  })

  test('lists the errors by row and stores nothing when a row is invalid', async () => {
    const survey = await makeSurvey(ann)
    const reply = await send(
      survey,
      'q1,q2\\0,_completed,_created_at\n0,,,\n7,,,\n,0,,\n0,Blue,,\n0,,Perhaps,\n0,,,2020-13-01\n0,\n',
    )
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_csv'])
    for (const error of [
      'row 3: q1: "7" is not a valid choice',
      'row 4: q1: An answer to this question is required',
      'row 5: q2\\0: "Blue" is not a valid choice',
      'row 6: _completed: must be Incomplete, Complete or Terminated',
      'row 7: _created_at: must be a date and time',
      'row 8: has 2 cells, but the header has 4',
    ])
      expect(reply.body.description).toContain(error)
    expect(reply.body.description).not.toContain('row 2')
    expect(await counts(world, survey)).toEqual({ rows: 0, feed: 0, collectors: 0 })
  })

  test('stores nothing when only the last of many rows is invalid', async () => {
    const survey = await makeSurvey(ann)
    const reply = await send(survey, `q1\n${'0\n'.repeat(3000)}9\n`)
    expect(reply.body.description).toContain('row 3002: q1')
    expect(await counts(world, survey)).toEqual({ rows: 0, feed: 0, collectors: 0 })
  })

  test.each([
    ['an unknown column', 'q1,nosuch\n0,x\n', 'column 2: “nosuch” is not a question'],
    ['a column twice', 'q1,q1\n0,0\n', 'column 2: “q1” is a duplicate'],
    ['a quote that is not closed', 'q1,q3\n0,"abc\n', 'row 2'],
    ['a quote inside a cell', 'q1,q3\n0,"a"b"\n', 'row 2'],
    ['no header', '\r\n,\r\n', 'body: has no header'],
    ['no column of the survey', '_id\r\n1', 'row 1: has no question of this survey'],
    ['a collector that is not a number', 'q1,_collector\n0,main\n', 'row 2: _collector'],
    ['a cell too many', 'q1,q3\n0,a,b\n', 'row 2: has 3 cells, but the header has 2'],
    ['a key twice', `q1,_key\n0,${'cd'.repeat(20)}\n0,${'cd'.repeat(20)}\n`, 'row 3: _key'],
    ['a rank twice', 'q1,rank\\0,rank\\1\n0,1,1\n', 'row 2: rank\\1'],
  ])('returns 400 for %s', async (_, csv, message) => {
    const reply = await send(await makeSurvey(ann), csv)
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_csv'])
    expect(reply.body.description).toContain(message)
  })

  test('returns 400 for the key of a stored response, which prevents a second import', async () => {
    const survey = await makeSurvey(ann)
    const csv = `q1,_key\n0,${'ef'.repeat(20)}\n`
    expect((await send(survey, csv)).status).toBe(200)
    expect((await send(survey, csv)).body.description).toContain('row 2: _key: is the key of an existing response')
  })

  test('imports responses of surveys with several pages', async () => {
    const survey = await makeSurvey(ann, TWO_PAGES)
    expect((await send(survey, 'a,b\nx,y\n')).body).toMatchObject({ success: true, imported: 1 })
  })

  test('imports the file of an export', async () => {
    const survey = await makeSurvey(ann)
    const answers = {
      q1: 2,
      'q1\\other': '=1+1, "x"\r\ny',
      q2: [0, 2],
      q4: false,
      grid_1: 0,
      rank: [1, 2, 0],
      nps: 0,
      when: '2026-01-02',
    }
    await ann.post(`/api/v3/surveys/${survey}/responses/`, { json: { ...answers, _completed: 1 } })
    for (const search of [
      '',
      '?include_labels=1',
      '?include_id=1&show_titles=1',
      '?include_url=1&include_response_link=1',
    ]) {
      const csv = (await ann.get(`/api/v3/surveys/${survey}/csv/${search}`)).text
      const copy = await makeSurvey(ann)
      const reply = await send(copy, csv)
      expect([search, reply.body]).toEqual([search, { success: true, imported: 1, skipped: 0, default_collector: 1 }])
      const [row] = await rows(copy)
      const [{ id }] = (await ann.get(`/api/v3/surveys/${copy}/collectors/`)).body.results
      expect(Number(row?.collector_id)).toBe(id)
      expect((await rows(copy))[0]?.answers).toEqual(answers)
    }
  })

  test('imports the tab-separated file of an export, in UTF-16', async () => {
    const survey = await makeSurvey(ann)
    await ann.post(`/api/v3/surveys/${survey}/responses/`, { json: { q1: 1, q3: 'a\tb; c, "d"', _completed: 1 } })
    const file = await fetch(new URL(`/api/v3/surveys/${survey}/csv/?tab_separated=1`, world.base), {
      headers: { authorization: ann.authorization! },
    })
    const copy = await makeSurvey(ann)
    const reply = await ann.post(`/api/v2/surveys/${copy}/responses/`, {
      body: new Uint8Array(await file.arrayBuffer()),
      headers: { 'content-type': 'text/csv' },
    })
    expect(reply.body).toMatchObject({ imported: 1 })
    expect((await rows(copy))[0]?.answers).toEqual({ q1: 1, q3: 'a\tb; c, "d"' })
  })

  test.each([
    ['rows of commas', 'q1,q3\n0,x\n,\n, \u200b\n1,y\n,\n', 2, 3],
    ['blank lines', '\nq1\n0\n\n1\n\n\n', 2, 0],
    ['rows with cells beyond the header', 'q1,q3\n0,x,,\n,,,\n1,y,\n', 2, 1],
    ['rows of semicolons', 'q1;q3\n0;x\n;\n1;y, z\n;\n', 2, 2],
    ['rows of tabs', 'q1\tq3\n0\tx\n\t\n', 1, 1],
    ['only rows of commas', 'q1,q3\n,\n', 0, 1],
  ])('skips and counts %s', async (_, csv, imported, skipped) => {
    const survey = await makeSurvey(ann)
    expect((await send(survey, csv)).body).toEqual({ success: true, imported, skipped, default_collector: 0 })
    expect((await counts(world, survey)).rows).toBe(imported)
  })

  test('names the row of the file in an error after blank rows', async () => {
    const reply = await send(await makeSurvey(ann), 'q1,q3\n,\n\n9,x\n')
    expect(reply.body.description).toContain('row 4: q1')
  })

  test('keeps semicolons in texts of a table with commas', async () => {
    const survey = await makeSurvey(ann)
    const title = '{q1} One; two; three'
    expect((await send(survey, `${title},{q3} a; b\n0,"x; y"\n`)).body).toMatchObject({ imported: 1 })
    expect((await rows(survey))[0]?.answers).toEqual({ q1: 0, q3: 'x; y' })
  })
})
