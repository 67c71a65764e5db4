import { describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { CountedUser, printCounts } from '../support/counted-user.ts'
import { useMailbox } from '../support/mailbox.ts'
import { makeSurvey } from '../support/responses.ts'
import { addSurvey, storedResponses } from '../support/surveys.ts'
import { signInOn, useChromium } from '../support/use-chromium.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
const chromium = useChromium()
const DESK = { viewport: { width: 1280, height: 900 } }
const LOGO = 'test/support/logo.png'
const TIMEOUT_MS = 180_000

/** Eight questions with the choices that the author copies from a document. */
const QUESTIONS: readonly { kind: string; title: string; lists?: Readonly<Record<string, string>> }[] = [
  { kind: 'Single choice', title: 'Do you drink tea?', lists: { 'Choice 1': 'Often\nSometimes\nNever' } },
  { kind: 'Multiple choice', title: 'With what?', lists: { 'Choice 1': 'Milk\nSugar\nLemon' } },
  { kind: 'Dropdown', title: 'Which size?', lists: { 'Choice 1': 'Cup\nMug\nPot' } },
  { kind: 'Yes or no', title: 'Is it hot?' },
  { kind: 'Text', title: 'Why that tea?' },
  { kind: 'Net Promoter Score', title: 'Would you recommend us?' },
  { kind: 'Date or time', title: 'When do you come?' },
  {
    kind: 'Grid of choices',
    title: 'How was it?',
    lists: { 'Row 1': 'Taste\nService', 'Column 1': 'Good\nFair\nBad' },
  },
]

/** A survey of one question. */
const TEA = {
  title: 'Tea',
  form: [
    {
      children: [
        {
          idname: 'single-choice',
          id: 'often',
          title: 'Do you drink tea?',
          children: [{ choices: [{ label: 'Often' }, { label: 'Never' }] }],
        },
      ],
    },
  ],
}

const one = (id: string, title: string, ...labels: string[]) => ({
  ...{ idname: 'single-choice', id, title },
  choices: labels.map((label) => ({ label })),
})
const STUDY = {
  title: 'Study',
  form: [
    {
      children: [
        one('gender', 'Your gender?', 'Woman', 'Man', 'Diverse'),
        { idname: 'number', id: 'age', title: 'Your age?' },
      ],
    },
    { children: [one('sat', 'How satisfied?', 'Low', 'Middle', 'High')] },
  ],
}
const PHOTO = {
  title: 'Kitchen',
  form: [
    { children: [one('often', 'How often do you cook?', 'Often', 'Never')] },
    { children: [{ idname: 'file-upload', id: 'photo', title: 'Photo', fileTypes: ['image'] }] },
  ],
}

/** Translates the numbered lines of the page as a translation program does: it keeps the numbers. */
const translated = (lines: string): string => lines.replace(/^\[(\d+)\] (.*)$/gm, '[$1] $2 (auf Deutsch)')

describe('a new user, counted in a browser', () => {
  it(
    'publishes and answers a first survey of eight questions, a condition, two languages, logo and colour with at most 60 actions',
    async () => {
      const page = await chromium.newPage(DESK)
      await page.goto(`${world.base}/account/surveys/`)
      await signInOn(page, await world.person())
      const user = new CountedUser(page, 'newcomer')
      await user.press('New survey')
      await page.locator('input[name=name]:focus').waitFor()
      await user.typeHere('Tea')
      await user.press('Create survey')
      await page.getByRole('heading', { name: 'Add your first question' }).waitFor()
      for (const [index, { kind, title, lists = {} }] of QUESTIONS.entries()) {
        await user.press(page.getByRole('button', { name: /^Add question( to page 1)?$/ }))
        await user.press(page.getByRole('dialog').getByRole('button', { name: new RegExp(`^${kind}`) }))
        await page.locator('.question-card').nth(index).getByLabel('Question', { exact: true }).waitFor()
        await page.locator('.question-card').nth(index).locator('[name=title]:focus').waitFor()
        await user.typeHere(title)
        for (const [first, lines] of Object.entries(lists)) await user.paste(first, lines)
      }
      await user.press('More actions for “Why that tea?”')
      await user.press('Show if… “Why that tea?”')
      await user.choose('Depending on the answer to', 'Do you drink tea?')
      await user.press('Add rule')
      await user.press('Save')
      await page.getByText('Shown if “Do you drink tea?” is Often').waitFor()

      await user.press('Languages')
      await user.choose('Language', 'Deutsch (de)')
      await user.press('Add language')
      await user.press('Copy all texts')
      const lines = await page.getByLabel('Texts to translate').inputValue()
      await user.paste('Translated texts', translated(lines))
      await user.press('Save')
      await page.getByText('Everything is translated.').waitFor()

      await user.press('Theme')
      await user.type('Accent colour', '#0a7d4b')
      await user.upload('Logo', LOGO)
      await user.press('Save theme')
      await page.getByText('Theme saved').waitFor()
      await user.press('Publish and open')
      await page.getByText('Published. The survey is open: share its link.').waitFor()
      await user.press('View survey')
      await answerAll(page, user)

      expect(printCounts('newcomer: first survey, published and answered', user)).toBeLessThanOrEqual(60)
    },
    TIMEOUT_MS,
  )

  it(
    'invites a person by email, who answers, with at most 8 actions',
    async () => {
      const owner = await world.person()
      const { page } = await openSurvey(owner)
      const user = new CountedUser(page, 'inviting')
      await user.press('Invite by email')
      await user.type('Recipients', 'Bob <bob@example.net>')
      await user.press('Continue')
      await user.press('Send')
      await page.getByText('Sending the invitation.').waitFor()
      await world.runJobs()
      const respondent = await chromium.newPage(DESK)
      const invited = new CountedUser(respondent, 'invited')
      await invited.open(/http\S+code=\w+/.exec(mailbox.sentTo('bob@example.net')[0]!.text)![0])
      await invited.press(respondent.locator('label').filter({ hasText: 'Often' }))
      await invited.press('Submit')
      await respondent.getByText('Thank you').first().waitFor()
      expect(printCounts('invitation by email, answered', user, invited)).toBeLessThanOrEqual(8)
    },
    TIMEOUT_MS,
  )

  it(
    'invites a colleague, who creates an account and reads the answers, with at most 11 actions, and reads the activity',
    async () => {
      const owner = await world.person({ name: 'Ann' })
      const { page, id } = await openSurvey(owner)
      await owner.post(`/api/v3/surveys/${id}/responses/`, { json: { often: 'Often' } })
      const user = new CountedUser(page, 'team')
      await user.press('Share')
      await user.type('Email address', 'cleo@example.net')
      await user.press(page.getByLabel('Can edit the survey'))
      await user.press('Invite')
      await world.runJobs()
      const theirs = await chromium.newPage(DESK)
      const colleague = new CountedUser(theirs, 'colleague')
      await colleague.open(/http\S+invitations\S+key=[\w-]+/.exec(mailbox.sentTo('cleo@example.net')[0]!.text)![0])
      await colleague.type('Choose a password', 'correct horse battery')
      await colleague.press(/^(Create account|Accept)/)
      await colleague.press('Responses')
      await theirs.getByText('Often').first().waitFor()
      await colleague.press('Edit')
      await user.press('View activity')
      await page.getByText('Roles of cleo on survey').waitFor()
      expect(printCounts('team: colleague invited, activity read', user, colleague)).toBeLessThanOrEqual(11)
    },
    TIMEOUT_MS,
  )

  it(
    'adds a matrix, random order, a code, screening and quotas, compares two questions and downloads for R',
    async () => {
      const owner = await world.person()
      const { page, id } = await openSurvey(owner, STUDY)
      const user = new CountedUser(page, 'researcher')
      await user.press('Edit')
      await user.press(page.getByRole('button', { name: 'Add question to page 2' }))
      await user.press(page.getByRole('dialog').getByRole('button', { name: /^Grid of choices/ }))
      await page.locator('.question-card').nth(3).getByLabel('Question', { exact: true }).waitFor()
      await user.typeHere('How do you rate …?')
      await user.paste('Row 1', 'Food\nService\nPrice')
      await user.paste('Column 1', 'Bad\nFair\nGood')
      await user.press(page.getByRole('link', { name: 'Your gender?', exact: true }))
      const editor = page.locator('.question-card').nth(0)
      await user.press(editor.getByRole('checkbox', { name: /^Random order/ }))
      await user.press(editor.locator('.item-details summary').first())
      await user.type(editor.locator('[name="choice.0.code"]'), 'f')
      await user.press('Done')
      await page.locator('.facts').getByText('Random order').waitFor()
      await user.press('More actions for Page 1')
      await user.press('Skips Page 1')
      await user.choose('Skip to', 'End the survey as screened out')
      await user.press('Add skip')
      await user.choose('Depending on the answer to', 'Your age?')
      await user.press('Add rule')
      await user.choose('Comparison of rule 1', 'is less than')
      await user.type('Value of rule 1', '18')
      await user.press('Save')
      await user.press('Quotas')
      await user.choose('Quotas to add', 'One quota for each choice of “Your gender?”')
      await user.type('Limit', '40')
      await user.press('Add quota')
      await page.getByText('Counts up to 40').first().waitFor()
      await user.press('Questions')
      await user.press('Publish')
      await page.getByText('All changes are published.').waitFor()
      const edited = user.actions
      for (const answers of [
        { gender: 'Woman', sat: 'High' },
        { gender: 'Man', sat: 'Low' },
      ])
        await owner.post(`/api/v3/surveys/${id}/responses/`, { json: { ...answers, age: 30, _completed: 1 } })
      await user.press('Reports')
      await user.press('Cross-table')
      await user.choose('Rows', 'Your gender?')
      await user.choose('Columns', 'How satisfied?')
      await user.press('Show table')
      await page.getByText('100%').first().waitFor()
      await user.press('Responses')
      await user.press('Download')
      await user.press(page.getByRole('radio', { name: /^SPSS/ }))
      const download = page.waitForEvent('download')
      await user.press('Download')
      expect((await download).suggestedFilename()).toMatch(/\.sav$/)
      printCounts('researcher: cross-table and file for R', { actions: user.actions - edited, loads: 0 })
      expect(printCounts('researcher: matrix to file for R', user)).toBeLessThanOrEqual(45)
    },
    TIMEOUT_MS,
  )

  it(
    'answers on a phone, after a photo that failed and a closed tab, and corrects the answers with the receipt',
    async () => {
      const owner = await world.person()
      const { id, slug } = (await addSurvey(owner, PHOTO, { receipt: true })).survey
      const page = await chromium.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
      const user = new CountedUser(page, 'respondent')
      const address = `${world.base}/surveys/${owner.actor.username}/${slug}/`
      await user.open(address)
      await user.press(page.locator('label').filter({ hasText: 'Often' }))
      await user.press('Next')
      await user.open(address)
      await user.press('Continue where you left off')
      await page.route('**/surveys/**', (route) =>
        route.request().resourceType() === 'xhr' ? route.abort() : route.continue(),
      )
      await user.upload('Photo', LOGO)
      await page.getByText('The upload failed.').waitFor()
      await page.unroute('**/surveys/**')
      await user.upload('Photo', LOGO)
      await page.getByText('Uploaded').first().waitFor()
      await user.press('Submit')
      await user.press('Show my answers')
      await page.getByRole('heading', { name: 'Your answers' }).waitFor()
      expect(await storedResponses(world, id)).toMatchObject([{ completed: 1 }])
      expect(printCounts('respondent: phone, upload, resume, receipt', user)).toBeLessThanOrEqual(12)
    },
    TIMEOUT_MS,
  )

  it(
    'tests the mail server, creates a user and looks at backups and health as an operator',
    async () => {
      const page = await chromium.newPage(DESK)
      await page.goto(`${world.base}/account/surveys/`)
      await signInOn(page, await world.person({ isAdministrator: true }))
      const user = new CountedUser(page, 'operator')
      await user.press('Administration')
      await user.press('Mail')
      await user.press('Send test message')
      await page
        .getByText(/accepted|sent/i)
        .first()
        .waitFor()
      await user.press('Users')
      await user.press('New user')
      await user.type('Email address', 'dan@example.net')
      await user.press('Create user')
      await page.getByText('dan@example.net').first().waitFor()
      await user.press('Backups')
      await user.press('Health')
      await user.press('Check now')
      await page.getByText('PostgreSQL').first().waitFor()
      expect(printCounts('operator: mail, user, backups, health', user)).toBeLessThanOrEqual(10)
    },
    TIMEOUT_MS,
  )
})

/** Opens a survey as its owner. */
async function openSurvey(owner: Person, structure: object = TEA): Promise<{ page: Page; id: number }> {
  const id = await makeSurvey(owner, structure)
  const page = await chromium.newPage(DESK)
  await page.goto(`${world.base}/account/surveys/${id}/`)
  await signInOn(page, owner)
  return { page, id }
}

async function answerAll(page: Page, user: CountedUser): Promise<void> {
  await page.getByText('Do you drink tea?').waitFor()
  const option = (name: string) => page.locator('label').filter({ hasText: name }).first()
  await user.press(option('Often'))
  await user.press(option('Milk'))
  await user.choose('Which size?', 'Mug')
  await user.press(option('Yes'))
  await user.type('Why that tea?', 'It is hot.')
  await user.press(page.getByRole('radio', { name: '9', exact: true }))
  await user.type(page.locator('input[type^=date]').first(), '010220270900AM')
  await user.press(option('Good'))
  await user.press(page.locator('label').filter({ hasText: 'Fair' }).last())
  await user.press('Submit')
  await page.getByText('Thank you').first().waitFor()
}
