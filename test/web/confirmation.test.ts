import { describe, expect, test } from '@jest/globals'
import type { Reply } from '../support/client.ts'
import { unescapeHtml } from '../support/html.ts'
import type { HttpBrowser } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'
import { signInOwner } from './survey-owner.ts'

const world = useWorld()

/** Follows a link to a confirmation page. @returns the page, and a function that submits its form */
async function openConfirmation(browser: HttpBrowser, from: string, link: RegExp) {
  const page = await browser.get(from)
  const path = new URL(unescapeHtml(link.exec(page.text)![1]!), world.base + from)
  const confirmation = await browser.get(path.pathname + path.search)
  expect([from, confirmation.status]).toEqual([from, 200])
  const [, action] = /<form method="post"(?: action="([^"]*)")? class="actions">/.exec(confirmation.text)!
  const fields = [...confirmation.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return {
    text: confirmation.text,
    cancelUrl: /<a class="button plain" href="([^"]*)"/.exec(confirmation.text)![1],
    confirm: () =>
      browser.post(
        action ?? path.pathname + path.search,
        fields.map(([, name, value]): [string, string] => [name!, unescapeHtml(value!)]),
      ),
  }
}

describe('a confirmation page', () => {
  test('precedes the revocation of an API key, and shows its name', async () => {
    const { browser, person } = await signInOwner(world)
    const created = await browser.post('/account/keys/', { name: 'nightly <export>' })
    const key = /<code class="secret" id="new-key">([^<]+)</.exec(created.text)![1]!
    const statusWith = async () =>
      (
        await world.anonymous.get('/api/v3/', {
          headers: { authorization: `Basic ${btoa(`${key}:${person.password}`)}` },
        })
      ).status
    const confirmation = await openConfirmation(
      browser,
      '/account/keys/',
      /href="([^"]*\/revoke\/)" aria-label="Revoke key/,
    )
    expect(confirmation.text).toContain('Revoke “nightly &lt;export&gt;”?</h1>')
    expect([confirmation.cancelUrl, await statusWith()]).toEqual(['/account/keys/', 200])
    expect((await confirmation.confirm()).to).toBe('/account/keys/')
    expect(await statusWith()).toBe(401)
    const { browser: other } = await signInOwner(world)
    const path = /href="([^"]*\/revoke\/)"/.exec((await browser.get('/account/keys/')).text)![1]!
    expect((await other.get(path)).status).toBe(404)
  })

  test('precedes a new secret of an application', async () => {
    const { browser } = await signInOwner(world)
    const root = '/accounts/developer/'
    const draft = {
      name: 'Tea',
      homepage: 'https://tea.example/',
      callback: 'https://tea.example/back',
      description: '',
    }
    await browser.post(root, draft)
    const page = /href="(\/accounts\/developer\/\d+\/)"/.exec((await browser.get(root)).text)![1]!
    const confirmation = await openConfirmation(browser, page, /href="([^"]*\/secret\/)"/)
    expect(confirmation.cancelUrl).toBe(page)
    expect(confirmation.text).not.toContain('Copy the client secret now')
    expect((await confirmation.confirm()).text).toContain('Copy the client secret now')
  })

  test('precedes a new secret of a webhook, and shows its URL', async () => {
    const { browser } = await signInOwner(world)
    const root = '/account/webhooks/'
    await browser.post(`${root}new/`, { subscription_url: 'https://tea.example/hook', event: 'survey_create' })
    const page = /href="(\/account\/webhooks\/\d+\/)"/.exec((await browser.get(root)).text)![1]!
    const confirmation = await openConfirmation(browser, page, /href="([^"]*\/rotate\/)"/)
    expect(confirmation.text).toContain('https://tea.example/hook')
    expect(confirmation.text).not.toContain('whsec_')
    expect((await confirmation.confirm()).text).toContain('whsec_')
  })

  test('precedes the end of sharing, and says that no one can open the reports any more', async () => {
    const { browser, id } = await signInOwner(world)
    const root = `/account/surveys/${id}/reports/`
    expect((await browser.get(`${root}sharing/stop/`)).to).toBe(root)
    await browser.post(`${root}new/`, { title: 'One', scope: 'all' })
    await browser.post(`${root}sharing/`, { sharing_password: 'open sesame' })
    const confirmation = await openConfirmation(browser, root, /href="([^"]*\/stop\/)"/)
    expect(confirmation.text).toContain('No one can open the reports with the links and the password any more')
    expect((await browser.get(root)).text).toContain('Stop sharing…')
    await confirmation.confirm()
    expect((await browser.get(root)).text).not.toContain('Stop sharing…')
  })

  test('precedes the deletion of a contact list', async () => {
    const { browser, person } = await signInOwner(world)
    const list: Reply = await person.post('/api/v3/contact-lists/', { json: { name: 'Friends' } })
    const page = `/account/contacts/lists/${list.body.id}/`
    const confirmation = await openConfirmation(browser, page, /href="([^"]*\/delete\/)"/)
    expect(confirmation.text).toContain('This deletes the list, which has 0 contacts.')
    await confirmation.confirm()
    expect((await browser.get(page)).status).toBe(404)
  })
})
