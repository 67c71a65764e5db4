import { beforeAll, describe, expect, test } from '@jest/globals'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { addSurvey, pageOf } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const page = pageOf({ idname: 'number', id: 'slices', title: 'How many slices?', children: [{ min: 0, max: 20 }] })

let browser: HttpBrowser
let survey: string

beforeAll(async () => {
  const owner = await world.person({ name: 'Ann Example' })
  const added = await addSurvey(owner, { title: 'Bread', form: [page] })
  survey = `/account/surveys/${added.survey.id}/`
  browser = await signInAs(owner)
})

/** Forms of all rooms: address, wrong values, the fields that show an error, and a value that the form keeps. */
const forms: [path: string, values: Record<string, string>, invalid: string[], kept: string][] = [
  ['/account/', { name: 'Kept name', email: 'wrong' }, ['email'], 'Kept name'],
  ['/account/keys/', { name: `kept ${'x'.repeat(100)}` }, ['name'], `kept ${'x'.repeat(100)}`],
  ['/accounts/developer/', { name: 'Kept app', homepage: 'x', callback: 'y' }, ['homepage', 'callback'], 'Kept app'],
  ['/account/contacts/new/', { name: 'Kept contact', email: 'wrong' }, ['email'], 'Kept contact'],
  ['/account/groups/', { name: `kept & ${'x'.repeat(300)}` }, ['name'], `kept &amp; ${'x'.repeat(300)}`],
  [
    '/account/webhooks/new/',
    { subscription_url: 'ftp://kept.example', event: 'survey_create', format: 'json' },
    ['subscription_url'],
    'ftp://kept.example',
  ],
  ['/account/theme/', { accent_color: 'kept' }, ['accent_color'], 'kept'],
  ['SURVEY/edit/theme/', { accent_color: 'kept', layout: 'page' }, ['accent_color'], 'kept'],
  ['SURVEY/edit/settings/', { name: '', 'title.en': 'Kept title' }, ['name'], 'Kept title'],
  ['SURVEY/edit/question/?id=slices', { title: 'Kept title', min: '9', max: '1' }, ['min'], 'Kept title'],
  ['SURVEY/invitations/new/', { subject: '', message: 'Kept message' }, ['subject', 'sender', 'message'], 'Kept'],
  ['SURVEY/invitations/codes/', { count: '123456' }, ['count'], '123456'],
  ['SURVEY/reports/sharing/', { sharing_password: 'kept' }, ['sharing_password'], 'kept'],
]

describe('a rejected form', () => {
  test.each(forms)(
    'of %s has status 422, shows errors at fields and keeps the entered values',
    async (path, values, ...expected) => {
      const [invalid, kept] = expected
      const reply = await browser.post(path.replace('SURVEY/', survey), values)
      expect(reply.status).toBe(422)
      const marked = [...reply.text.matchAll(/<(?:input|select|textarea)[^>]* aria-invalid="true"/g)]
      expect(marked.map(([tag]) => / name="([^"]*)"/.exec(tag)?.[1])).toEqual(invalid)
      expect(reply.text).toMatch(new RegExp(`(value="|>)${kept.replace(/[.?*+]/g, '\\$&')}`))
    },
  )

  test('changes nothing, and the next page shows no message', async () => {
    await browser.post('/account/groups/', { name: 'x'.repeat(300) })
    const page = (await browser.get('/account/groups/')).text
    expect(page).not.toMatch(/xxxx|class="notice flash"/)
  })
})

describe('an accepted form', () => {
  test('redirects, and the next page shows a message once', async () => {
    const reply = await browser.post('/account/contacts/lists/', { name: 'Friends' })
    expect(reply.status).toBe(303)
    expect((await browser.get(reply.to!)).text).toContain('List “Friends” created.')
    expect((await browser.get(reply.to!)).text).not.toContain('List “Friends” created.')
  })
})
