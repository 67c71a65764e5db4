import { describe, expect, test } from '@jest/globals'
import { replaceStructure } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { breakfastSurvey } from './sample-surveys.ts'
import { addTenResponses, signInOwner } from './survey-owner.ts'

const world = useWorld()

/** Creates a shared report with a filter and a chart that is not the default. */
async function createSharedReport() {
  const owner = await signInOwner(world)
  await addTenResponses(world, owner.id)
  const root = `/account/surveys/${owner.id}/reports/`
  await owner.browser.get(root)
  await owner.browser.post(`${root}sharing/`, { sharing_password: 'open sesame' })
  await owner.person.put(`/api/v3/surveys/${owner.id}/settings/`, { json: { anonymity_threshold: 1 } })
  const draft = {
    title: 'Rye',
    scope: 'some',
    question: 'nps',
    query: 'bread=0',
    incomplete: 'on',
    'chart nps': 'columns',
  }
  const { to } = await owner.browser.post(`${root}new/`, draft)
  const [, link] = /<a class="address" href="([^"]*)"/.exec((await owner.browser.get(root)).text)!
  return { ...owner, root, report: to!, link: new URL(link!).pathname }
}

describe('a report of a changed survey', () => {
  test('returns 422 to users and guests if its filter is outdated, until the report is edited', async () => {
    const { browser, person, id, report, link } = await createSharedReport()
    await browser.post(link, { password: 'open sesame' })
    expect((await browser.get(link)).text).toContain('>4 responses</h2>')
    const form = breakfastSurvey.form.map((page) => ({
      ...page,
      children: page.children.filter(
        (question) => !('id' in question && ['bread', 'whyrye'].includes(String(question.id))),
      ),
    }))
    await replaceStructure(person, id, { ...breakfastSurvey, form })
    const page = await browser.get(report)
    expect(page.status).toBe(422)
    expect(page.text).toContain('Edit the report to fix its filter.')
    for (const path of [link, `${link}numbers.csv`]) {
      const shared = await browser.get(path)
      expect([path, shared.status]).toEqual([path, 422])
      expect(shared.text).toContain('This report is out of date')
    }
    await browser.get(`${report}edit/`)
    expect((await browser.post(`${report}edit/`, { title: 'All', scope: 'all', query: 'bread=0' })).status).toBe(422)
    expect((await browser.post(`${report}edit/`, { title: 'All', scope: 'all', incomplete: 'on' })).to).toBe(report)
    expect((await browser.get(report)).text).toContain('>10 responses</h2>')
  })

  test('shows the remaining questions', async () => {
    const { browser, person, id, root } = await createSharedReport()
    const [first, second] = breakfastSurvey.form
    const { to } = await browser.post(`${root}new/`, { title: 'Last', scope: 'some', question: 'nps' })
    await replaceStructure(person, id, { ...breakfastSurvey, form: [first, second] })
    const { status, text } = await browser.get(to!)
    expect(status).toBe(200)
    expect(text).not.toContain('id="question-1"')
    expect((await browser.get(`${root}all/`)).text).toContain('id="question-12"')
  })
})

describe('the report “All answers”', () => {
  test.each([
    ['?%', 422],
    ['?view-language=%00', 200],
    ['?bread=%00', 422],
    ['?nps>=1e400', 422],
    [`?${'bread=0&'.repeat(300)}`, 200],
    ['texts/name/?view-before=1e30', 200],
    ['texts/name/?view-before=1.5', 200],
    ['texts/name/?view-words=%00', 200],
    ['texts/%00/', 404],
    ['charts/%E0%A4%A/chart.svg', 404],
    ['spread/%00/', 404],
    ['?view-base=%0d%0aX:%20y&view-add=bread%3D0', 422],
  ])('returns for the address %s the status %d', async (path, status) => {
    const { browser, root } = await createSharedReport()
    expect((await browser.get(`${root}all/${path}`)).status).toBe(status)
  })
})

describe('a report', () => {
  test('is copied with its survey', async () => {
    const { browser, person, id } = await createSharedReport()
    const { body } = await person.post(`/api/v3/surveys/${id}/duplicate/`, { form: { name: 'Copy' } })
    const copy = `/account/surveys/${body.id}/reports/`
    const [, report] = new RegExp(`<a href="(${copy}\\d+/)">Rye</a>`).exec((await browser.get(copy)).text)!
    const { text } = await browser.get(`${report}edit/`)
    expect(text).toContain('name="query" value="bread=0" checked')
    expect(text).toContain('<option value="columns" selected>')
    expect(text).toMatch(/name="question" value="nps" checked/)
    expect(text).not.toMatch(/name="question" value="bread" checked/)
  })

  test('can be saved with the current filter as another report', async () => {
    const { browser, root, report } = await createSharedReport()
    const { text } = await browser.get(`${report}?nps>=3`)
    expect(text).toContain('>3 responses</h2>')
    expect(text).toContain(
      `<a class="button plain small" href="${root}new/?bread=0&amp;_completed&lt;2&amp;nps%3E=3">Save as report</a>`,
    )
    const form = await browser.get(`${root}new/?bread=0&nps%3E=3`)
    expect(form.text).toContain('name="query" value="bread=0&amp;nps&gt;=3" checked')
  })
})
