import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { readXlsx } from 'hucre/xlsx'
import { CompiledQuery, sql } from 'kysely'
import { Migration20261128100100_number_responses as NumberResponses } from '../../src/db/migrations/Migration20261128100100_number_responses.ts'
import type { Tables } from '../../src/domain/tables.ts'
import { signInAs } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { addSurvey } from '../support/surveys.ts'
import { useWorld, type World } from '../support/world.ts'
import { breakfastSurvey } from './sample-surveys.ts'
import { addTenResponses, responseIdsIn, signInOwner } from './survey-owner.ts'

const world = useWorld()

const numbersIn = (text: string): number[] =>
  [...text.matchAll(/<th scope="row" role="rowheader"><a href="[^"]*">(\d+)</g)].map(([, number]) => Number(number))

const storedNumbers = async (of: World, surveyId: number): Promise<[number, number][]> => {
  const rows = await of
    .em()
    .getKysely<Tables>()
    .selectFrom('response')
    .select(['id', 'number'])
    .where('survey_id', '=', surveyId)
    .orderBy('id')
    .execute()
  return rows.map(({ id, number }) => [id, number])
}

describe('the number of a response', () => {
  test('counts from 1 in each survey, whatever other surveys receive at the same time [spec 7.13]', async () => {
    const person = await world.person()
    const browser = await signInAs(person)
    const surveys = [
      (await addSurvey(person, breakfastSurvey)).survey,
      (await addSurvey(person, breakfastSurvey)).survey,
    ]
    for (let n = 0; n < 3; n += 1) for (const { id } of surveys) await respond(world, id)
    for (const { id } of surveys) {
      const list = await browser.get(`/account/surveys/${id}/responses/`)
      expect(numbersIn(list.text)).toEqual([3, 2, 1])
      const [, second] = responseIdsIn(list.text)
      expect((await browser.get(`/account/surveys/${id}/responses/${second}/`)).text).toContain('<h1>Response 2</h1>')
    }
  })

  test('stays the same and is not used again when other responses are deleted', async () => {
    const { browser, id, root } = await signInOwner(world)
    const ids = await addTenResponses(world, id)
    for (const deleted of [ids[0], ids[9]]) await browser.post(`${root}${deleted}/delete/`)
    await respond(world, id)
    expect(numbersIn((await browser.get(root)).text)).toEqual([11, 9, 8, 7, 6, 5, 4, 3, 2])
  })

  test('is not used up by a response that is sent twice', async () => {
    const { browser, id, root } = await signInOwner(world)
    const key = randomBytes(20)
    for (let n = 0; n < 3; n += 1) await respond(world, id, { key })
    await respond(world, id)
    expect(numbersIn((await browser.get(root)).text)).toEqual([2, 1])
  })

  test('finds a response in the filter, and selects and heads the rows of a workbook', async () => {
    const { browser, person, id, root } = await signInOwner(world)
    const ids = await addTenResponses(world, id)
    expect(responseIdsIn((await browser.get(`${root}?_response_number=4`)).text)).toEqual([ids[3]])
    expect((await browser.get(`${root}?view-pick=_response_number`)).text).toContain(
      '<h2 id="picked">Response number</h2>',
    )
    expect((await person.get(`/api/v3/surveys/${id}/responses/?_response_number=4`)).body.results).toMatchObject([
      { _id: ids[3] },
    ])
    const reply = await fetch(`${world.base}${root}export/?purpose=workbook&numbers=4,7`, {
      headers: { cookie: browser.cookieHeader },
    })
    const [sheet] = (await readXlsx(new Uint8Array(await reply.arrayBuffer()))).sheets
    const column = sheet!.rows[0]!.indexOf('Response number')
    expect(sheet!.rows.map((row) => row[column])).toEqual(['Response number', 4, 7])
  })

  test('is given to the responses of earlier versions by the migration, and to those that follow', async () => {
    const { id } = await signInOwner(world)
    const ids = await addTenResponses(world, id)
    const db = world.em().getKysely<Tables>()
    await sql`update response set number = null where survey_id = ${id}`.execute(db)
    await sql`update survey_feed set last_number = null where survey_id = ${id}`.execute(db)
    // A response that is stored between the two migrations.
    ids.push((await respond(world, id)).id)
    const migration = new NumberResponses(world.em().getDriver(), world.application.orm.config)
    migration.up()
    for (let times = 0; times < 2; times += 1)
      for (const statement of migration.getQueries().map(String)) await db.executeQuery(CompiledQuery.raw(statement))
    ids.push((await respond(world, id)).id)
    expect(await storedNumbers(world, id)).toEqual(ids.map((each, index) => [each, index + 1]))
  })
})
