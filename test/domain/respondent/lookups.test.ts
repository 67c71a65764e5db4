import { describe, expect, it } from '@jest/globals'
import { countStatements, recordStatements } from '../../support/record-statements.ts'
import { addSurvey, hiddenValue, pageOf, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

const twoPages = (title: string) => ({ title, form: [pageOf(text('name')), pageOf(text('more'))] })

describe('the lookups of respondents', () => {
  it('share statements among concurrent requests, and each request gets its own survey', async () => {
    const person = await world.person()
    const surveys = await Promise.all(['One', 'Two', 'Three'].map((title) => addSurvey(person, twoPages(title))))
    const { respondentLookups } = world.application.services
    const wanted = Array.from({ length: 30 }, (_, index) => surveys[index % 3]!)
    const addresses = wanted.map(({ path }) => path.split('/').slice(2, 4) as [string, string])
    const before = countStatements()
    const found = await recordStatements(() =>
      Promise.all(
        [...addresses, [addresses[0]![0], 'missing'] as const].map(([username, slug]) =>
          respondentLookups.findSurvey(username.toUpperCase(), slug),
        ),
      ),
    )
    // Opening a connection takes a statement too.
    expect(countStatements() - before).toBeLessThan(4)
    expect(found.map((one) => one?.id)).toEqual([...wanted.map(({ survey }) => survey.id), undefined])
    const pages = await Promise.all(wanted.map(({ path }) => world.anonymous.get(path)))
    expect(pages.map(({ text: page }) => /One|Two|Three/.exec(page)?.[0])).toEqual(
      wanted.map((_, index) => ['One', 'Two', 'Three'][index % 3]),
    )
  })

  it('tell apart an address whose parts contain slashes', async () => {
    const { path } = await addSurvey(await world.person(), twoPages('Slashes'))
    const [, root, username, slug] = path.split('/')
    const other = `/${root}/${username}%2F${slug!.slice(0, 1)}/${slug!.slice(1)}/`
    const replies = await Promise.all([path, other, path].map((each) => world.anonymous.get(each)))
    expect(replies.map(({ status }) => status)).toEqual([200, 404, 200])
  })

  it('find what was stored before the request began, and nothing of a deleted survey', async () => {
    const person = await world.person()
    const { survey, path } = await addSurvey(person, twoPages('Stored'))
    const pages = await Promise.all(Array.from({ length: 8 }, () => world.anonymous.get(path)))
    await Promise.all(
      pages.map(async (page, index) => {
        const reply = await submitForm(world.anonymous, page, { name: `Person ${index}` })
        expect(reply.status).toBe(303)
        const next = await world.anonymous.get(reply.headers.get('location')!)
        expect(next.text).toContain('Text more')
        const back = await world.anonymous.get(`${path}${hiddenValue(page, '_key')}/?page=1`)
        expect(back.text).toContain(`Person ${index}`)
      }),
    )
    expect(await storedResponses(world, survey.id)).toHaveLength(pages.length)
    await person.delete(`/api/v3/surveys/${survey.id}/`)
    expect((await world.anonymous.get(path)).status).toBe(404)
  })
})
