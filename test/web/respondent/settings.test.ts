import { describe, expect, it } from '@jest/globals'
import { hashPassword } from '../../../src/domain/account/password.ts'
import { Collector } from '../../../src/domain/collector/collector.ts'
import { updateSurvey } from '../../../src/domain/survey/commands.ts'
import { Survey } from '../../../src/domain/survey/survey.ts'
import { addSurvey, pageOf, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { oneQuestion } from '../sample-surveys.ts'

const world = useWorld()

const twoPages = { title: 'Settings', form: [pageOf(text('a')), pageOf(text('b'))] }

describe('settings of a survey on its pages', () => {
  it('shows that the survey is not live and stores nothing if live is 0 [spec 13.1]', async () => {
    const person = await world.person()
    const { survey, path } = await addSurvey(person, oneQuestion)
    const openPage = await world.anonymous.get(path)
    await person.act((context) => updateSurvey(context, survey.id, { live: false }))
    const reply = await world.anonymous.get(path)
    expect(reply.status).toBe(200)
    expect(reply.text).toContain('This survey is not open at the moment.')
    expect(reply.text).not.toContain('Single one')
    expect((await submitForm(world.anonymous, openPage, { one: '0' })).status).toBe(403)
    expect(await storedResponses(world, survey.id)).toEqual([])
  })

  it('shows that the survey is not available if it has no questions [spec 13.1]', async () => {
    const { path } = await addSurvey(await world.person(), { title: 'Empty' })
    expect((await world.anonymous.get(path)).text).toContain('This survey is not live or not available.')
  })

  it('shows closed_message instead of the default text', async () => {
    const { path } = await addSurvey(
      await world.person(),
      oneQuestion,
      { closed_message: 'Back <soon>' },
      { live: false },
    )
    expect((await world.anonymous.get(path)).text).toContain('Back &lt;soon&gt;')
  })

  it('closes the survey before open_at and after close_at', async () => {
    const { path } = await addSurvey(await world.person(), oneQuestion, {
      open_at: '2026-02-01T00:00:00Z',
      close_at: '2026-02-02T00:00:00Z',
    })
    const startTime = world.now
    expect((await world.anonymous.get(path)).text).toContain('has not opened yet')
    world.now = new Date('2026-02-01T12:00:00Z')
    expect((await world.anonymous.get(path)).text).toContain('Single one')
    world.now = new Date('2026-02-02T00:00:00Z')
    expect((await world.anonymous.get(path)).text).toContain('This survey has ended.')
    world.now = startTime
  })

  it('requires the link of the invitation if invite_only is on', async () => {
    const { path } = await addSurvey(await world.person(), oneQuestion, { invite_only: true })
    expect((await world.anonymous.get(path)).text).toContain('You need an invitation')
    expect((await world.anonymous.get(`${path}?code=abcdefgh`)).text).toContain(
      'The invite code in this link is not valid',
    )
  })

  it('requires the password, rejects a wrong password, and after the correct password sets a cookie', async () => {
    const password_hash = await hashPassword('open sesame')
    const { survey, path } = await addSurvey(await world.person(), oneQuestion, { password_hash })
    const form = await world.anonymous.get(path)
    expect(form.text).toContain('This survey requires a password')
    const rejected = await world.anonymous.post(path, { form: { _password: 'wrong' } })
    expect(rejected.status).toBe(303)
    const formWithError = await world.anonymous.get(rejected.headers.get('location')!)
    expect(formWithError.status).toBe(403)
    expect(formWithError.text).toContain('The password is incorrect.')
    expect(formWithError.text).toContain(`action="${path}"`)
    const accepted = await world.anonymous.post(path, { form: { _password: 'open sesame' } })
    expect(accepted.headers.get('location')).toBe(`${path}?_denied=cookies`)
    const cookie = accepted.headers.get('set-cookie')!
    expect(cookie).toMatch(/httponly/i)
    const page = await world.anonymous.get(path, { headers: { cookie: cookie.split(';')[0]! } })
    expect(page.text).toContain('Single one')
    const forged = await world.anonymous.post(path, {
      form: { one: '0' },
      headers: { cookie: `survey_${survey.id}=forged` },
    })
    expect(forged.status).toBe(403)
    expect(await storedResponses(world, survey.id)).toEqual([])
  })

  it('sets the password cookie for embedded surveys over https, even behind a proxy', async () => {
    const password_hash = await hashPassword('open sesame')
    const { path } = await addSurvey(await world.person(), oneQuestion, { password_hash })
    const { services } = world.application
    const { baseUrl } = services
    services.baseUrl = 'https://survey.example.org'
    const reply = await world.anonymous.post(path, { form: { _password: 'open sesame' } })
    services.baseUrl = baseUrl
    expect(reply.headers.get('set-cookie')).toMatch(/samesite=none; secure; httponly/)
  })

  it('hides progress bar, Back button and save-and-continue if they are off', async () => {
    const withDefaults = await addSurvey(await world.person(), twoPages)
    const withoutParts = await addSurvey(await world.person(), twoPages, {
      progress_bar: false,
      back_button: false,
      save_and_continue: false,
    })
    const second = async (path: string) => {
      const reply = await submitForm(world.anonymous, await world.anonymous.get(path), { a: 'x' })
      return (await world.anonymous.get(reply.headers.get('location')!)).text
    }
    for (const part of ['<progress', 'value="back"', 'value="later"']) {
      expect(await second(withDefaults.path)).toContain(part)
      expect(await second(withoutParts.path)).not.toContain(part)
    }
  })

  it('shows thank_you_message on the final page', async () => {
    const { path } = await addSurvey(await world.person(), oneQuestion, { thank_you_message: 'Danke & tschüss' })
    const completed = await submitForm(world.anonymous, await world.anonymous.get(path), { one: '0' })
    expect((await world.anonymous.get(completed.headers.get('location')!)).text).toContain('Danke &amp; tschüss')
  })

  it('redirects to redirect_url after the last page', async () => {
    const { path } = await addSurvey(await world.person(), oneQuestion, {
      redirect_url: 'https://example.org/done?x=1',
    })
    const first = await world.anonymous.get(path)
    expect(first.headers.get('content-security-policy')).toContain("form-action 'self' http: https:")
    const completed = await submitForm(world.anonymous, first, { one: '0' })
    expect(completed.status).toBe(303)
    expect(completed.headers.get('location')).toBe('https://example.org/done?x=1')
  })

  it('stores nothing that identifies the respondent if anonymous is on', async () => {
    const { survey, path } = await addSurvey(await world.person(), oneQuestion, { anonymous: true })
    const first = await world.anonymous.get(`${path}?from=mail`, { headers: { referer: 'https://example.org/' } })
    await submitForm(world.anonymous, first, { one: '0' })
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { ip_address: '', referrer: null, get_variables: null, username: '', completed: 1 },
    ])
  })

  it('stores no IP address if store_ip is off', async () => {
    const { survey, path } = await addSurvey(await world.person(), oneQuestion, { store_ip: false })
    await submitForm(world.anonymous, await world.anonymous.get(`${path}?from=mail`), { one: '0' })
    expect(await storedResponses(world, survey.id)).toMatchObject([{ ip_address: '', get_variables: 'from=mail' }])
  })

  it('overrides the settings of the survey by those of a collector, and stores the responses under the collector', async () => {
    const { survey, path } = await addSurvey(await world.person(), oneQuestion, { thank_you_message: 'Survey' })
    const em = world.em()
    const collector = em.create(Collector, {
      survey: survey.id,
      name: 'Fair',
      settings: { thank_you_message: 'Fair' },
      createdAt: world.now,
    })
    await em.flush()
    await em.nativeUpdate(Survey, { id: survey.id }, { revision: survey.revision + 1 })
    const completed = await submitForm(
      world.anonymous,
      await world.anonymous.get(`${path}?collector=${collector.id}`),
      {
        one: '0',
      },
    )
    expect((await world.anonymous.get(completed.headers.get('location')!)).text).toContain('<p>Fair</p>')
    expect(await storedResponses(world, survey.id)).toMatchObject([{ collector_id: collector.id, get_variables: null }])
  })
})
