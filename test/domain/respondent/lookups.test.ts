import { describe, expect, it } from '@jest/globals'
import { countStatements } from '../../support/record-statements.ts'
import { addSurvey, hiddenValue, pageOf, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

const twoPages = (title: string) => ({ title, form: [pageOf(text('name')), pageOf(text('more'))] })

/** Returns the number of statements of some work, and its result. */
async function counting<Result>(work: () => Promise<Result>): Promise<{ statements: number; result: Result }> {
  const before = countStatements()
  const result = await work()
  return { statements: countStatements() - before, result }
}

describe('the lookups of respondents', () => {
  it('share statements among concurrent requests, and each request gets its own survey', async () => {
    const person = await world.person()
    const surveys = await Promise.all(['One', 'Two', 'Three'].map((title) => addSurvey(person, twoPages(title))))
    const open = (path: string) => world.anonymous.get(path)
    for (const { path } of surveys) await open(path)
    const { statements: alone } = await counting(() => open(surveys[0]!.path))
    const paths = Array.from({ length: 30 }, (_, index) => surveys[index % 3]!.path)
    const missing = surveys[0]!.path.replace(/[^/]+\/$/, 'missing/')
    const { statements, result } = await counting(() => Promise.all([...paths, missing].map(open)))
    const titles = result.map(({ status, text: page }) => (status === 200 ? /One|Two|Three/.exec(page)?.[0] : status))
    expect(titles).toEqual([...paths.map((_, index) => ['One', 'Two', 'Three'][index % 3]), 404])
    expect(alone).toBeGreaterThan(0)
    expect(statements).toBeLessThan(alone * paths.length * 0.7)
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
