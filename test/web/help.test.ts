import { describe, expect, test } from '@jest/globals'
import { guideFor } from '../../src/web/layout/app-shell.ts'
import { signInAsNewUser } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

describe('the pages of the application', () => {
  test('link to a guide about the page, which has the title of the link', async () => {
    const { person, browser } = await signInAsNewUser(world)
    const root = `/account/surveys/${await makeSurvey(person)}/`
    const sections = ['', 'theme/', 'keys/', 'contacts/', 'groups/', 'webhooks/', 'surveys/', 'surveys/new/']
    const tabs = [
      '',
      'edit/',
      'edit/json/',
      'edit/theme/',
      'edit/settings/',
      'responses/',
      'reports/',
      'invitations/',
      'embeds/',
      'fieldwork/',
      'collectors/',
    ]
    for (const path of [
      ...sections.map((name) => `/account/${name}`),
      ...[...tabs, 'webhooks/'].map((tab) => root + tab),
    ]) {
      const { path: address, title } = guideFor(path)
      expect((await browser.get(path)).text).toContain(`Guide: <a href="${address}">${title}</a>`)
      const guide = await browser.get(address)
      expect([guide.status, />([^<]+)<\/h1>/.exec(guide.text)?.[1]]).toEqual([200, title])
    }
  })
})
