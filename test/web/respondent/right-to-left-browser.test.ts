import { describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { violations } from '../../support/axe.ts'
import { addSurvey, pageOf } from '../../support/surveys.ts'
import { useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const chromium = useChromium()
const labels = (...texts: string[]) => texts.map((label) => ({ label }))
const kinds = [
  { idname: 'text-response', id: 'name', title: 'ما اسمك؟', children: [{ type: 'string', required: true }] },
  {
    idname: 'text-response',
    id: 'mail',
    title: 'بريدك الإلكتروني',
    children: [{ type: 'string', validation: { kind: 'email' } }],
  },
  {
    idname: 'single-choice',
    id: 'bread',
    title: 'الخبز',
    children: [{ type: 'single', choices: labels('أسمر', 'Rye 100%.') }],
  },
  {
    idname: 'multiple-choice',
    id: 'with',
    title: 'مع ماذا؟',
    children: [{ type: 'multiple', minSelected: 2, choices: labels('زبدة', 'جبن', 'مربى') }],
  },
  {
    idname: 'dropdown-choice',
    id: 'city',
    title: 'المدينة',
    children: [{ type: 'dropdown', choices: labels('عمّان', 'القاهرة') }],
  },
  {
    idname: 'net-promoter',
    id: 'nps',
    title: 'هل توصي بنا؟',
    children: [{ type: 'net-promoter', leftLabel: 'لا', rightLabel: 'نعم' }],
  },
  { idname: 'rating', id: 'stars', title: 'التقييم', children: [{ type: 'rating', max: 5 }] },
  { idname: 'slider', id: 'slide', title: 'كم؟', children: [{ type: 'slider', min: 0, max: 10 }] },
  {
    idname: 'single-choice-grid',
    id: 'grid',
    title: 'جدول',
    choices: labels('سيئ', 'جيد'),
    children: [
      { type: 'single', label: 'الطعم' },
      { type: 'single', label: 'السعر' },
    ],
  },
  { idname: 'ranking', id: 'rank', title: 'رتّب', children: [{ type: 'ranking', choices: labels('أ', 'ب', 'ج') }] },
  { idname: 'datetime', id: 'day', title: 'اليوم', children: [{ type: 'datetime', format: 'date' }] },
]
const structure = {
  title: 'استبيان الخبز',
  languages: [
    { code: 'ar', name: 'العربية', isDefault: true },
    { code: 'en', name: 'English', isDefault: false },
  ],
  form: [
    pageOf(...kinds),
    pageOf({ idname: 'text-response', id: 'end', title: 'Anything else?', children: [{ type: 'string' }] }),
  ],
}

/** Returns the horizontal edges of elements, in pixels. */
const edges = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((elements) =>
    elements.map((element) => {
      const { left, right } = element.getBoundingClientRect()
      return { left, right }
    }),
  )

describe('a survey in Arabic', () => {
  test.each([320, 1280])('is laid out from right to left in a window of %d pixels', async (width) => {
    const { path } = await addSurvey(await world.person(), structure)
    const page = await chromium.newPage({ viewport: { width, height: 700 }, bypassCSP: true })
    await page.goto(world.base + path)
    expect(
      await page.locator('html').evaluate((root) => [root.getAttribute('lang'), root.getAttribute('dir')]),
    ).toEqual(['ar', 'rtl'])
    const [zero, one] = await edges(page, '.step')
    expect(zero!.left).toBeGreaterThan(one!.left)
    const [firstStar, secondStar] = await edges(page, '.star')
    expect(firstStar!.left).toBeGreaterThan(secondStar!.left)
    const [box] = await edges(page, '.choice')
    const [input] = await edges(page, '.choice input')
    expect(input!.right).toBeGreaterThan((box!.left + box!.right) / 2)
    if (width > 640) {
      const [bad, good] = await edges(page, '.grid thead th')
      expect(bad!.left).toBeGreaterThan(good!.left)
    }
    expect(await violations(page)).toEqual([])
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/arabic-${width}.png`, fullPage: true })

    await page.getByRole('button', { name: 'التالي' }).click()
    await page.getByRole('alert').getByText('الإجابة عن هذا السؤال مطلوبة.').waitFor()
    await page.getByLabel('ما اسمك؟').fill('Ann!')
    await page.locator('[type=range]').press('ArrowLeft')
    expect(Number(await page.locator('.number input[type=number], .number .box').inputValue())).toBeGreaterThan(5)
    await page.getByRole('button', { name: 'التالي' }).click()
    const [progress] = await edges(page, 'progress')
    expect(progress!.right - progress!.left).toBeGreaterThan(100)
    await page.getByLabel('Anything else?').fill('لا')
    expect(await page.getByText('Anything else?').getAttribute('dir')).toBe('ltr')
    await page.getByRole('button', { name: 'إرسال' }).click()
    await page.getByRole('heading', { name: 'شكرًا لك!' }).waitFor()
  })

  test('marks texts that are written in the other direction, but not a foreign word inside a text', async () => {
    const page = await (await fetch(world.base + (await addSurvey(await world.person(), structure)).path)).text()
    expect(page).toContain('<span dir="ltr">Rye 100%.</span>')
    expect(page).toContain('<h1>استبيان الخبز</h1>')
  })
})

describe('pages outside surveys', () => {
  test('are written from right to left in Arabic', async () => {
    const page = await (
      await fetch(`${world.base}/surveys/nobody/none/`, {
        headers: { 'accept-language': 'ar-EG, en;q=0.5', accept: 'text/html' },
      })
    ).text()
    expect(page).toContain('<html lang="ar" dir="rtl">')
    expect(page).toContain('لم يُعثر على الاستبيان')
  })
})
