import { writeFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { violations } from '../support/axe.ts'
import { EVERY_TYPE } from '../support/every-type.ts'
import { addSurvey } from '../support/surveys.ts'
import { signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()

/** The widths of the sheets less the margins of the style sheet, in CSS pixels. */
const PAPER_PX = { A4: 688, Letter: 710 } as const

/** What is wrong with the printed page: parts of the shell, parts that are too wide, and dark backgrounds. */
const printFaults = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const paper = document.querySelector('.paper')
    const shown = [...document.body.querySelectorAll('*')].filter((element) => {
      const { width, height } = element.getBoundingClientRect()
      return element.checkVisibility() && width > 0 && height > 0
    })
    return [
      ...shown.filter((element) => !paper.contains(element) && !element.contains(paper))
        .map((element) => 'shell ' + element.outerHTML.slice(0, 80)),
      ...shown.filter((element) => element.matches('button, input, select, a')).map((element) => 'control ' + element.outerHTML),
      ...shown.filter((element) => element.getBoundingClientRect().right > innerWidth + 1 || element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== 'visible')
        .map((element) => 'wide ' + element.outerHTML.slice(0, 80)),
      ...[document.body, paper].filter((element) => !/^rgb\\(255, 255, 255\\)|, 0\\)$/.test(getComputedStyle(element).backgroundColor))
        .map((element) => 'background ' + getComputedStyle(element).backgroundColor),
      ...[...document.querySelectorAll('.paper-question')]
        .filter((element) => getComputedStyle(element).breakInside !== 'avoid').map((element) => 'cut ' + element.textContent.slice(0, 60)),
    ]
  })()`)

/**
 * Returns the questions that Chromium would cut: those that begin and end on different sheets. Each question has a link
 * at its beginning and at its end, and the links of a PDF document name their sheets.
 */
const LINKS = `for (const [index, question] of [...document.querySelectorAll('.paper-question')].entries()) {
  for (const [method, end] of [['prepend', 'start'], ['append', 'end']]) {
    const link = document.createElement('a')
    link.href = 'https://example.org/' + index + '/' + end
    link.textContent = '.'
    link.style.cssText = 'font-size: 1px; line-height: 1px; display: block'
    question[method](link)
  }
}`

/** Returns the sheets of a PDF document, each as the addresses of its links. */
function linksOf(pdf: Buffer): string[][] {
  const objects = new Map(
    [...pdf.toString('latin1').matchAll(/(\d+) 0 obj\s([\s\S]*?)endobj/g)].map(([, id, text]) => [id!, text!]),
  )
  const sheets = [...objects.values()].filter((text) => /\/Type\s*\/Page\b/.test(text))
  return sheets.map((sheet) => {
    const annotations = /\/Annots\s*\[([^\]]*)\]/.exec(sheet)?.[1] ?? ''
    return [...annotations.matchAll(/(\d+) 0 R/g)].flatMap(
      ([, id]) => /\/URI\s*\(([^)]*)\)/.exec(objects.get(id!) ?? '')?.[1] ?? [],
    )
  })
}

test('the paper edition prints without the shell and without cut questions [spec 10.2]', async () => {
  const ann = await world.person()
  const { survey } = await addSurvey(ann, EVERY_TYPE)
  const page = await chromium.newPage({ bypassCSP: true, viewport: { width: 390, height: 800 }, colorScheme: 'dark' })
  await page.goto(`${world.base}/account/surveys/${survey.id}/edit/paper/`)
  await signInOn(page, ann)
  await page.getByRole('button', { name: 'Print' }).waitFor()
  expect(await violations(page)).toEqual([])
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  for (const format of ['A4', 'Letter'] as const) {
    await page.setViewportSize({ width: PAPER_PX[format], height: 1000 })
    expect([format, await printFaults(page)]).toEqual([format, []])
  }
  const folder = process.env.PDF_FOLDER
  if (folder) await writeFile(`${folder}/paper.pdf`, await page.pdf({ format: 'A4' }))
  await page.evaluate(LINKS)
  const count = (await page.locator('.paper-question').count()) as number
  for (const format of ['A4', 'Letter'] as const) {
    const sheets = linksOf(await page.pdf({ format }))
    expect(sheets.length).toBeGreaterThan(1)
    const sheetOf = (question: number, end: string) =>
      sheets.findIndex((links) => links.includes(`https://example.org/${question}/${end}`))
    for (let question = 0; question < count; question += 1) {
      expect(sheetOf(question, 'start')).toBeGreaterThanOrEqual(0)
      expect([question, sheetOf(question, 'end')]).toEqual([question, sheetOf(question, 'start')])
    }
  }
}, 60_000)
