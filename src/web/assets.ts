import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Middleware } from 'koa'
import { Compressible } from '../lib/compressible.ts'

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' } as const

interface Asset {
  path: string
  type: string
  content: Compressible
}

/** Creates an asset whose address contains a digest of the content, so that browsers may cache it permanently. */
function publish(name: string, extension: keyof typeof types, bytes: Buffer): Asset {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
  return { path: `/assets/${name}.${digest}.${extension}`, type: types[extension], content: new Compressible(bytes) }
}

/** Reads files of `assets/` and joins them to one asset. */
const read = (name: string, extension: keyof typeof types, files: readonly string[]): Asset =>
  publish(
    name,
    extension,
    Buffer.concat(files.map((file) => readFileSync(new URL(`./assets/${file}.${extension}`, import.meta.url)))),
  )

/** Reads a bundled script from build/assets/. Returns undefined if the script has not been built. */
function readBuilt(name: string): Asset | undefined {
  try {
    return publish(name, 'js', readFileSync(new URL(`../../build/assets/${name}.js`, import.meta.url)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The parts of the survey style sheet. If two parts set the same property, the later part takes precedence. */
const styles = [
  'base',
  'frame',
  'question',
  'choice',
  'scale',
  'upload',
  'signature',
  'grid',
  'columns',
  'message',
  'theme',
  'preview-bar',
  'mailbox',
  'print',
].map((part) => `survey/${part}`)

/** The parts of the application's style sheet, which include parts of the survey style sheet. */
const app = [
  'survey/base',
  'survey/frame',
  'survey/message',
  'app/shell',
  'app/page',
  'app/flash',
  'app/more',
  'app/form',
  'app/list',
  'app/survey-list',
  'app/survey',
  'app/new-survey',
  'app/application',
  'app/edit',
  'app/builder',
  'app/builder-question',
  'app/builder-scripts',
  'app/question-form',
  'app/choice-picture',
  'app/diff',
  'app/filter',
  'app/responses',
  'app/coding',
  'app/sheet',
  'app/response',
  'app/message',
  'app/email',
  'app/chart',
  'app/report',
  'app/webhook',
  'app/embed',
  'app/contact',
  'app/api',
  'app/guide',
  'app/group',
  'app/administration',
  'survey/theme',
  'app/theme',
  'app/print',
  'app/paper',
]

const assets = {
  'app.js': read('app', 'js', ['page-text', 'app']),
  'app.css': read('app', 'css', app),
  'logo.svg': read('logo', 'svg', ['logo']),
  'busy.js': read('busy', 'js', ['busy']),
  'coding.js': read('coding', 'js', ['coding']),
  'copy.js': read('copy', 'js', ['page-text', 'copy']),
  'passkey.js': read('passkey', 'js', ['page-text', 'passkey']),
  'theme.js': read('theme', 'js', ['page-text', 'theme']),
  'upload.js': read('upload', 'js', ['upload']),
  'one-question.js': read('one-question', 'js', ['one-question']),
  'survey.css': read('survey', 'css', styles),
  'survey.js': read('survey', 'js', ['survey', 'embedded']),
  'paper.js': read('paper', 'js', ['paper']),
  'sheet.js': read('sheet', 'js', ['sheet']),
  'report.js': read('report', 'js', ['page-text', 'report']),
  'responses.js': read('responses', 'js', ['page-text', 'responses']),
  'under-way.js': read('under-way', 'js', ['under-way']),
}
const built = {
  'builder.js': readBuilt('builder'),
  'editor.js': readBuilt('editor'),
  'signature.js': readBuilt('signature'),
}
const published: Readonly<Record<AssetName, Asset | undefined>> = { ...assets, ...built }
const byPath = new Map<string, Asset>(
  Object.values(published).flatMap((asset) => (asset ? [[asset.path, asset] as const] : [])),
)

/** The name of a style sheet, script or image. */
export type AssetName = keyof typeof assets | keyof typeof built

/** Returns the path of a style sheet, script or image; undefined for a script that has not been built. */
export const assetPath = (name: AssetName): string | undefined => published[name]?.path

/** Serves the style sheets, scripts and images. */
export const serveAssets: Middleware = async (ctx, next) => {
  const asset = ctx.method === 'GET' || ctx.method === 'HEAD' ? byPath.get(ctx.path) : undefined
  if (!asset) return next()
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable')
  ctx.type = asset.type
  await asset.content.send(ctx, asset.content.codingFor(ctx))
}
