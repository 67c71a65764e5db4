import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { canonicalJson } from '../../../src/domain/structure/canonical.ts'
import { addMember, makeGroup, share } from '../../support/groups.ts'
import { HttpBrowser } from '../../support/http-browser.ts'
import { addSurvey } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const structure = (title: string) => ({
  title: 'Tea',
  form: [
    { children: [{ idname: 'single-choice', id: 'a', title, choices: [{ label: 'Green' }, { label: 'Black' }] }] },
  ],
})

describe('canonical JSON', () => {
  test('orders members by UTF-16 code units and keeps lists, as RFC 8785 does', () => {
    const value = {
      '€': 1,
      '\r': [3, { b: null, a: 'ö\n' }],
      '10': 1e21,
      '9': 0.1,
      '😀': true,
      '\ufb33': '',
      skipped: undefined,
    }
    expect(canonicalJson(value)).toBe(
      '{"\\r":[3,{"a":"ö\\n","b":null}],"10":1e+21,"9":0.1,"€":1,"😀":true,"\ufb33":""}',
    )
  })
})

describe('the review of a survey', () => {
  const world = useWorld()
  let ann: Person
  let bob: Person
  let survey: number
  let path: string
  let address: string
  beforeAll(async () => {
    ann = await world.person({ name: 'Ann' })
    bob = await world.person({ name: 'Bob' })
    const added = await addSurvey(ann, structure('Which?'))
    survey = added.survey.id
    address = added.path
    path = `/api/v3/surveys/${survey}/`
    const group = await makeGroup(ann, 'Board')
    await addMember(ann, group, bob, 'Edit Publish')
    await share(ann, survey, group)
  })

  const review = async (by = ann) => (await by.get(`${path}review/`)).body
  const draft = (title: string, by = ann) => by.put(`${path}draft/`, { json: structure(title) })
  const publish = (by = ann) => by.post(`${path}draft/publish/`, { json: {} })
  const decide = (by: Person, json: object) => by.post(`${path}review/decision/`, { json })
  const footer = async () => (await new HttpBrowser(world.base).get(address)).text

  test('says with getReview what the draft is, with its hash, which programs can compute [spec 5.10]', async () => {
    const before = await review()
    expect(before).toMatchObject({ required: false, state: 'none', approved: false, published_hash: null })
    const { body } = await ann.get(`${path}structure/`)
    expect(before.hash).toBe(createHash('sha256').update(canonicalJson(body)).digest('hex'))
    expect(await footer()).not.toContain('Approved version')
  })

  test('changes nothing for programs until the owner requires approvals [spec 5.6]', async () => {
    expect((await ann.put(`${path}structure/`, { json: structure('Which tea?') })).status).toBe(200)
    expect((await bob.put(`${path}settings/`, { json: { approval_required: true } })).body.code).toBe('forbidden')
    expect((await ann.put(`${path}settings/`, { json: { approval_required: true } })).body.approval_required).toBe(true)
    expect((await bob.put(`${path}settings/`, { json: { approval_required: true, kiosk: false } })).status).toBe(200)
    expect((await bob.put(`${path}settings/`, { json: { approval_required: false } })).body.code).toBe('forbidden')
  })

  test('refuses each way to save a version that was not approved [spec 5.10]', async () => {
    const refused = { status: 409, body: { code: 'approval_required' } }
    expect(await ann.put(`${path}structure/`, { json: structure('Sneaky') })).toMatchObject(refused)
    expect(await ann.post(`${path}versions/`, { json: { restore: 1 } })).toMatchObject(refused)
    const languages = [
      { code: 'en', name: 'English', isDefault: true },
      { code: 'de', name: 'Deutsch' },
    ]
    expect(await ann.put(`${path}languages/`, { json: languages })).toMatchObject(refused)
    await draft('Draft')
    expect(await publish()).toMatchObject(refused)
    expect((await ann.get(`${path}draft/`)).body.changed).toBe(true)
  })

  test('is requested with requestReview and decided by somebody else with decideReview; exactly that is published [spec 5.10]', async () => {
    await draft('Approve me')
    const requested = await ann.post(`${path}review/`, { json: { note: ' Page 1 ' } })
    expect(requested).toMatchObject({
      status: 201,
      body: { state: 'pending', current: true, approved: false, note: 'Page 1', requester: { name: 'Ann' } },
    })
    const { hash } = requested.body
    expect((await decide(ann, { decision: 'approve', hash })).body.code).toBe('forbidden')
    expect((await decide(bob, { decision: 'return', hash })).body.errors).toMatchObject([{ field: 'sentence' }])
    expect((await decide(bob, { decision: 'approve', hash: '0'.repeat(64) })).body.code).toBe('structure_changed')
    const approved = await decide(bob, { decision: 'approve', hash, sentence: 'Good' })
    expect(approved.body).toMatchObject({
      state: 'approved',
      approved: true,
      decider: { name: 'Bob' },
      sentence: 'Good',
    })
    await draft('Changed after the approval')
    expect((await publish()).body.code).toBe('approval_required')
    expect(await review()).toMatchObject({ current: false, approved: false })
    await draft('Approve me')
    expect(await publish()).toMatchObject({ status: 200, body: { changed: true } })
    const { published_hash: publishedHash, published_version: version } = await review()
    expect(publishedHash).toBe(hash)
    expect((await ann.get(`${path}versions/${version}/`)).body.is_current).toBe(true)
    expect(await footer()).toContain(`Approved version: <bdi>${hash}</bdi>`)
  })

  test('is sent back with a sentence, and decided once [spec 5.10]', async () => {
    await draft('Not good')
    const { hash } = (await bob.post(`${path}review/`, { form: {} })).body
    expect((await decide(ann, { decision: 'return', hash, sentence: 'Too long' })).body).toMatchObject({
      state: 'returned',
      sentence: 'Too long',
      approved: false,
    })
    expect((await decide(ann, { decision: 'approve', hash })).body.code).toBe('no_review')
    expect((await publish()).body.code).toBe('approval_required')
  })

  test('needs the role Publish to decide, and hides from strangers [spec 3.5]', async () => {
    const cleo = await world.person({ name: 'Cleo' })
    const group = await makeGroup(ann, 'Authors')
    await addMember(ann, group, cleo, 'Edit')
    await share(ann, survey, group)
    const { hash } = (await ann.post(`${path}review/`, { json: {} })).body
    expect(await decide(cleo, { decision: 'approve', hash })).toMatchObject({ status: 403 })
    const stranger = await world.person()
    expect((await decide(stranger, { decision: 'approve', hash })).status).toBe(404)
    expect((await stranger.get(`${path}review/`)).status).toBe(404)
  })

  test('lets two people decide at once only one way [spec 5.10]', async () => {
    await draft('Race')
    const { hash } = (await bob.post(`${path}review/`, { json: {} })).body
    const replies = await Promise.all([
      decide(ann, { decision: 'approve', hash }),
      decide(ann, { decision: 'return', hash, sentence: 'No' }),
    ])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test('marks a published structure that is approved afterwards, without a new version [spec 5.10]', async () => {
    const { survey: other, path: page } = await addSurvey(ann, structure('Later'))
    const root = `/api/v3/surveys/${other.id}/`
    const { hash } = (await ann.post(`${root}review/`, { json: {} })).body
    await ann.post(`${root}review/decision/`, { json: { decision: 'approve', hash } })
    expect((await ann.get(`${root}review/`)).body).toMatchObject({ published_version: 1, published_hash: hash })
    expect((await new HttpBrowser(world.base).get(page)).text).toContain(hash)
    await ann.put(`${root}structure/`, { json: structure('Other') })
    expect((await new HttpBrowser(world.base).get(page)).text).not.toContain('Approved version')
  })

  test('is in the activity of the survey [spec 4.6]', async () => {
    const { results } = (await ann.get(`${path}activity/?page_size=100`)).body
    const kinds = results.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['review_requested', 'review_approved', 'review_returned']))
  })
})
