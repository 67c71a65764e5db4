import { describe, expect, test } from '@jest/globals'
import { removeMember } from '../../src/domain/group/commands.ts'
import type { Tables } from '../../src/domain/tables.ts'
import { addMember, makeGroup, share } from '../support/groups.ts'
import { signInAs } from '../support/http-browser.ts'
import { codeFor, registerApp } from '../support/oauth.ts'
import { addSurvey, eraseSurvey, pageOf, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

describe('the page of the security log', () => {
  test('links to objects by name, and shows the IDs of deleted objects and of objects of other users', async () => {
    const ann = await world.person()
    const bob = await world.person()
    const group = await makeGroup(ann, 'Kitchen')
    await ann.act(({ em }) =>
      em.getKysely<Tables>().updateTable('account').set({ name: 'Bob Baker' }).where('id', '=', bob.actor.id).execute(),
    )
    await addMember(ann, group, bob, 'analyze')
    const { survey } = await addSurvey(ann, { title: 'Lunch', form: [pageOf(text('q'))] })
    await share(ann, survey.id, group)
    expect((await bob.get(`/api/v3/surveys/${survey.id}/csv/`)).status).toBe(200)
    const browser = await signInAs(ann)
    await browser.get('/account/keys/')
    await browser.post('/account/keys/', { name: 'nightly' })
    const app = await registerApp(world)
    await codeFor(app, ann)
    const read = async (reader = browser) => (await reader.get('/account/security/')).text
    const named = await read()
    const surveyLink = `survey <a href="/account/surveys/${survey.id}/">Lunch</a>`
    for (const title of [
      `Responses of ${surveyLink} exported</strong>`,
      `Bob Baker, <time`,
      `Roles of Bob Baker in group <a href="/account/groups/${group}/">Kitchen</a> set to: `,
      'API key <a href="/account/keys/">nightly</a> created',
    ])
      expect(named).toContain(title)
    expect(named).toMatch(/Application <a href="\/account\/#connected">[^<]+<\/a> allowed to /)

    await ann.act((context) => removeMember(context, group, bob.actor.email))
    await eraseSurvey(ann, survey.id)
    const unnamed = await read()
    expect(unnamed).toContain(`account ${bob.actor.id} removed from group`)
    expect(unnamed).toContain('Survey “Lunch” deleted')
    expect(unnamed).not.toContain('Bob Baker')
    const ofBob = await read(await signInAs(bob))
    expect(ofBob).toContain(`removed from group ${group}`)
    expect(ofBob).not.toContain('Kitchen')
  })

  test('calls people without a name by their username', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    await addMember(ann, await makeGroup(ann, 'Kitchen'), bob, 'analyze')
    const log = (await (await signInAs(ann)).get('/account/security/')).text
    expect(log).toContain(`Roles of ${bob.actor.username} in group`)
  })

  test('names permissions, roles and protections in the language of the reader', async () => {
    const ann = await world.person()
    const bob = await world.person()
    await addMember(ann, await makeGroup(ann), bob, 'edit analyze')
    const { survey } = await addSurvey(ann, { title: 'Lunch', form: [pageOf(text('q'))] })
    const settings = `/api/v3/surveys/${survey.id}/settings/`
    await ann.put(settings, { json: { password: 'open sesame', invite_only: true } })
    await ann.put(settings, { json: { password: null, invite_only: false } })
    await codeFor(await registerApp(world), ann)
    const browser = await signInAs(ann)
    const read = async (language: string) =>
      (await browser.get('/account/security/', { 'accept-language': language })).text
    const english = await read('en')
    for (const names of [
      ' allowed to read',
      ' set to: Can view, edit, export and delete responses and reports, Can edit the survey',
      ': password removed and invitations no longer required',
    ])
      expect(english).toContain(names)
    const german = await read('de')
    for (const names of [
      ' erlaubt: lesen',
      ' geändert in: Kann Antworten und Berichte ansehen, bearbeiten, exportieren und löschen, Kann die Umfrage bearbeiten',
      ': Passwort entfernt und Einladung nicht mehr erforderlich',
    ])
      expect(german).toContain(names)
  })
})
