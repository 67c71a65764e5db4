import { describe, expect, it } from '@jest/globals'
import { cascade, cascadeSurvey, REGIONS } from '../../support/cascade.ts'
import type { Reply } from '../../support/client.ts'
import { addSurvey, pageOf, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

const { country, region, town } = cascade()
const required = cascade(true)

/** Submits a page, and follows the redirect to the next page. */
async function send(page: Reply, answers: Record<string, string | string[]> = {}) {
  const reply = await submitForm(world.anonymous, page, answers)
  const location = reply.headers.get('location')
  return location ? world.anonymous.get(location) : reply
}

/** Returns the labels of the choices that a browser without scripts shows. */
const shownChoices = ({ text: page }: Reply) =>
  [
    ...page
      .replace(/<template>.*?<\/template>/gs, '')
      .matchAll(/<option value="\d+"[^>]*>([^<]*)|<label for="f\d+-\d+">([^<]*)/g),
  ].map(([, option, label]) => option ?? label)

describe('choices that an answer of an earlier page filters [spec 6.15]', () => {
  const open = async (pages: object[][] = [[country], [region], [town]]) => {
    const { survey, path } = await addSurvey(await world.person(), cascadeSurvey(pages as never))
    return { survey, first: await world.anonymous.get(path) }
  }

  it('are offered on the next page, which contains no others', async () => {
    const { survey, first } = await open()
    const second = await send(first, { country: '0' })
    expect(shownChoices(second)).toEqual(['Bavaria', 'Saxony', 'Alps'])
    expect(second.text).not.toContain('Tyrol')
    const third = await send(second, { region: '1' })
    expect(shownChoices(third)).toEqual(['Dresden', 'Another town'])
    await send(third, { town: ['1', '3'], 'town\\other': 'Meißen' })
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { completed: 1, answers: { country: 0, region: 1, town: [1, 3], 'town\\other': 'Meißen' }, pagepath: '1,2,3' },
    ])
  })

  it('are an error of the question if a page is sent with another choice', async () => {
    const { survey, first } = await open()
    const second = await send(first, { country: '0' })
    const rejected = await send(second, { region: '2' })
    expect(rejected.text).toMatch(/<a href="#f1">Region – Choose one of the answers/)
    expect(shownChoices(rejected)).toEqual(['Bavaria', 'Saxony', 'Alps'])
    expect((await storedResponses(world, survey.id))[0]!.answers).toEqual({ country: 0 })
  })

  it('leave out a page without any choice, also if the question is required', async () => {
    const { survey, first } = await open([[required.country], [required.region], [text('end') as never]])
    const last = await send(first, { country: '2' })
    expect(last.text).toContain('Text end')
    await send(last, { end: 'x' })
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { completed: 1, answers: { country: 2, end: 'x' }, pagepath: '1,3' },
    ])
  })

  it('are asked again after the earlier answer has changed; what was chosen before comes back with it', async () => {
    const { survey, first } = await open([[country], [region], [town], [text('end') as never]])
    const second = await send(first, { country: '0' })
    const third = await send(second, { region: '0' })
    const fourth = await send(third, { town: '0' })
    const back = async (page: Reply, answers: Record<string, string>) => send(page, { ...answers, _go: 'back' })
    const again = await back(await back(await back(fourth, { end: '' }), { town: '0' }), { region: '0' })
    const other = await send(again, { country: '1' })
    expect(shownChoices(other)).toEqual(['Tyrol', 'Alps'])
    expect(other.text).not.toContain('selected')
    // As long as the response is incomplete, the answers are kept.
    expect((await storedResponses(world, survey.id))[0]!.answers).toMatchObject({ country: 1, region: 0, town: [0] })
    const lastTown = await send(other, { region: '' })
    expect(shownChoices(lastTown)).toEqual(['Another town'])
    await send(await send(lastTown, {}), { end: 'x' })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1, answers: { country: 1, end: 'x' } }])
  })

  it('follow a hidden field that the address fills in', async () => {
    const hidden = { idname: 'hidden-field', id: 'country', children: [{}] }
    const { path } = await addSurvey(await world.person(), cascadeSurvey([[hidden, region]]))
    expect(shownChoices(await world.anonymous.get(`${path}?country=AT`))).toEqual(['Tyrol', 'Alps'])
  })

  it('require no more choices than are offered', async () => {
    const atLeastTwo = { ...town, children: [{ ...town.children[0], minSelected: 3 }] }
    const { survey, first } = await open([[country, region], [atLeastTwo as never]])
    const second = await send(await send(first, { country: '0' }), { country: '0', region: '1' })
    expect(second.text).toContain('at least 2')
    const rejected = await send(second, { town: '1' })
    expect(rejected.text).toMatch(/class="error"[^>]*>.*at least 2/)
    await send(rejected, { town: ['1', '3'], 'town\\other': 'x' })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1 }])
  })
})

describe('choices that an answer of the same page filters [spec 6.15]', () => {
  const open = async (...questions: object[]) => {
    const { survey, path } = await addSurvey(await world.person(), { title: 'T', form: [pageOf(...questions)] })
    return { survey, first: await world.anonymous.get(path) }
  }

  it('are offered without scripts after the page was sent once for each answer', async () => {
    const { survey, first } = await open(required.country, required.region, town)
    expect(first.text).toContain('Answer “Country” first.')
    const second = await send(first, { country: '0' })
    expect(second.text).toContain('added more questions')
    expect(shownChoices(second)).toEqual(['Germany', 'Austria', 'Monaco', 'Bavaria', 'Saxony', 'Alps', 'Another town'])
    const third = await send(second, { country: '0', region: '1' })
    expect(shownChoices(third)).toEqual(expect.arrayContaining(['Dresden', 'Another town']))
    await send(third, { country: '0', region: '1', town: '1' })
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { completed: 1, answers: { country: 0, region: 1, town: [1] } },
    ])
  })

  it('are shown again if the earlier answer changes, with an error for a choice that is no longer offered', async () => {
    const { survey, first } = await open(country, region)
    const second = await send(first, { country: '0' })
    const wrong = await send(second, { country: '1', region: '0' })
    expect(wrong.text).toMatch(/<a href="#f1">Region – Choose one of the answers/)
    expect(shownChoices(wrong)).toEqual(['Germany', 'Austria', 'Monaco', 'Tyrol', 'Alps'])
    const changed = await send(wrong, { country: '0', region: '' })
    expect(shownChoices(changed)).toEqual(['Germany', 'Austria', 'Monaco', 'Bavaria', 'Saxony', 'Alps'])
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 0 }])
    await send(changed, { country: '0', region: '' })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ completed: 1, answers: { country: 0 } }])
  })

  it('keep their meaning when the author moves and removes choices while the page is open', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, { title: 'T', form: [pageOf(country, region)] })
    const opened = await send(await world.anonymous.get(path), { country: '0' })
    const uri = `/api/v3/surveys/${survey.id}`
    const { body: structure } = await owner.get(`${uri}/structure/`)
    const option = structure.form[0].children[1].children[0]
    const [bavaria, saxony, tyrol, alps] = option.choices
    option.choices = [alps, { label: 'Hesse', attributes: { country: 'de' } }, tyrol, bavaria]
    expect((await owner.put(`${uri}/structure/`, { json: structure })).status).toBe(200)
    // The choices have changed, so the page is shown again with what the respondent chose.
    const again = await send(opened, { country: '0', region: '0' })
    expect(shownChoices(again)).toEqual(['Germany', 'Austria', 'Monaco', 'Alps', 'Hesse', 'Bavaria'])
    expect(again.text).toContain('<option value="0" selected>Bavaria</option>')
    await send(again, { country: '0', region: '0' })
    const removed = await send(await send(await world.anonymous.get(path), { country: '0' }), {
      country: '0',
      region: String(saxony.uid),
    })
    expect(removed.text).toContain('Thank you!')
    const { body } = await owner.get(`${uri}/responses/?include_labels=true`)
    expect(body.results.map((one: Record<string, unknown>) => [one.country, one.region, one._completed])).toEqual([
      ['Germany', 'Bavaria', 1],
      ['Germany', 'Saxony', 1],
    ])
  })

  it('are named to the script, which gets those that differ from the page', async () => {
    const { survey, first } = await open(country, region, town)
    const look = async (page: Reply, answers: Record<string, string | string[]>) =>
      JSON.parse((await submitForm(world.anonymous, page, { ...answers, _go: 'look' })).text)
    expect(await look(first, {})).toEqual({
      shown: ['country', 'town'],
      waiting: [{ question: 'region', first: 'country' }],
      choices: [],
    })
    const chosen = await look(first, { country: '1' })
    expect(chosen).toEqual({
      shown: ['country', 'region', 'town'],
      waiting: [],
      choices: [{ question: 'region', key: expect.any(String), values: ['2', '3'] }],
    })
    expect(await look(first, { country: '2' })).toEqual({ shown: ['country', 'town'], waiting: [], choices: [] })
    const [{ key }] = chosen.choices
    const known = await look(first, { country: '1', _shown: 'region', _offered: `${key} region` })
    expect(known.choices).toEqual([])
    expect(await storedResponses(world, survey.id)).toEqual([])
  })

  it('are all in a template for the script, in the order of this respondent', async () => {
    const random = { ...region, children: [{ ...region.children[0], randomize: true }] }
    const { first } = await open(country, random)
    const [, template = ''] = /<template>(.*?)<\/template>/s.exec(first.text) ?? []
    expect([...template.matchAll(/>([^<]+)<\/option>/g)].map(([, label]) => label).sort()).toEqual(
      REGIONS.map(({ label }) => label).sort(),
    )
  })
})
