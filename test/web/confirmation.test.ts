import { expect, test } from '@jest/globals'
import type { Reply } from '../support/client.ts'
import type { Visitor } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'
import { analyst } from './survey-owner.ts'

const world = useWorld()

/** Follows a link that leads to a question, and answers it as a browser without scripts does. */
async function asked(browser: Visitor, from: string, link: RegExp) {
  const page = await browser.get(from)
  const path = new URL(link.exec(page.text)![1]!.replaceAll('&amp;', '&'), world.base + from)
  const question = await browser.get(path.pathname + path.search)
  expect([from, question.status]).toEqual([from, 200])
  const [, action] = /<form method="post"(?: action="([^"]*)")? class="actions">/.exec(question.text)!
  const fields = [...question.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return {
    text: question.text,
    keep: /<a class="button plain" href="([^"]*)"/.exec(question.text)![1],
    answer: () =>
      browser.post(
        action ?? path.pathname + path.search,
        fields.map(([, name, value]): [string, string] => [name!, value!.replaceAll('&amp;', '&')]),
      ),
  }
}

test('revoking an API key asks first and names the key', async () => {
  const { browser, person } = await analyst(world)
  const made = await browser.post('/account/keys/', { name: 'nightly <export>' })
  const key = /<code class="secret">([^<]+)</.exec(made.text)![1]!
  const statusWith = async () =>
    (
      await world.anonymous.get('/api/v3/', {
        headers: { authorization: `Basic ${btoa(`${key}:${person.password}`)}` },
      })
    ).status
  const question = await asked(browser, '/account/keys/', /href="([^"]*\/revoke\/)" aria-label="Revoke key/)
  expect(question.text).toContain('Revoke “nightly &lt;export&gt;”?</h1>')
  expect([question.keep, await statusWith()]).toEqual(['/account/keys/', 200])
  expect((await question.answer()).to).toBe('/account/keys/')
  expect(await statusWith()).toBe(401)
  const { browser: other } = await analyst(world)
  const path = /href="([^"]*\/revoke\/)"/.exec((await browser.get('/account/keys/')).text)![1]!
  expect((await other.get(path)).status).toBe(404)
})

test('replacing the secret of an application asks first', async () => {
  const { browser } = await analyst(world)
  const root = '/accounts/developer/'
  const draft = { name: 'Tea', homepage: 'https://tea.example/', callback: 'https://tea.example/back', description: '' }
  await browser.post(root, draft)
  const own = /href="(\/accounts\/developer\/\d+\/)"/.exec((await browser.get(root)).text)![1]!
  const question = await asked(browser, own, /href="([^"]*\/secret\/)"/)
  expect(question.keep).toBe(own)
  expect(question.text).not.toContain('Copy the client secret now')
  expect((await question.answer()).text).toContain('Copy the client secret now')
})

test('replacing the secret of a webhook asks first', async () => {
  const { browser } = await analyst(world)
  const root = '/account/webhooks/'
  await browser.post(`${root}new/`, { subscription_url: 'https://tea.example/hook', event: 'survey_create' })
  const own = /href="(\/account\/webhooks\/\d+\/)"/.exec((await browser.get(root)).text)![1]!
  const question = await asked(browser, own, /href="([^"]*\/rotate\/)"/)
  expect(question.text).toContain('https://tea.example/hook')
  expect(question.text).not.toContain('whsec_')
  expect((await question.answer()).text).toContain('whsec_')
})

test('stopping to share reports asks first', async () => {
  const { browser, id } = await analyst(world)
  const root = `/account/surveys/${id}/reports/`
  expect((await browser.get(`${root}sharing/stop/`)).to).toBe(root)
  await browser.post(`${root}new/`, { title: 'One', scope: 'all' })
  await browser.post(`${root}sharing/`, { sharing_password: 'open sesame' })
  const question = await asked(browser, root, /href="([^"]*\/stop\/)"/)
  expect(question.text).toContain('People can no longer open the reports')
  expect((await browser.get(root)).text).toContain('Stop sharing…')
  await question.answer()
  expect((await browser.get(root)).text).not.toContain('Stop sharing…')
})

test('deleting a contact list or a saved filter asks first', async () => {
  const { browser, id, person } = await analyst(world)
  const list: Reply = await person.post('/api/v3/contact-lists/', { json: { name: 'Friends' } })
  const own = `/account/contacts/lists/${list.body.id}/`
  const question = await asked(browser, own, /href="([^"]*\/delete\/)"/)
  expect(question.text).toContain('This deletes the list of 0 contacts.')
  await question.answer()
  expect((await browser.get(own)).status).toBe(404)
  const filters = `/account/surveys/${id}/responses/filters/`
  await person.post(`/api/v3/surveys/${id}/filters/`, { json: { name: 'R & D', query: 'bread=0' } })
  const drop = await asked(browser, filters, /href="([^"]*delete\/[^"]*)" aria-label="Delete R/)
  expect(drop.text).toContain('Filter: Which bread do you eat most? is Rye.')
  await drop.answer()
  expect((await browser.get(filters)).text).toContain('No saved filters yet.')
  expect((await browser.get(`${filters}delete/?name=none`)).status).toBe(404)
})
