import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from '@jest/globals'

const folder = mkdtempSync(path.join(tmpdir(), 'canvass-image-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Copies the files that a stage of the Dockerfile copies from the project. @returns the folder with the copies */
function copyStage(stage: string): string {
  const target = mkdtempSync(path.join(folder, 'stage-'))
  for (const [, sources] of stage.matchAll(/^COPY (?!--from)(.*) \S+$/gm))
    for (const source of sources!.split(' ')) cpSync(source, path.join(target, source), { recursive: true })
  symlinkSync(path.resolve('node_modules'), path.join(target, 'node_modules'))
  return target
}

const run = (cwd: string, code: string) =>
  execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd, encoding: 'utf8' })

describe('Dockerfile', () => {
  const [build, , server] = readFileSync('Dockerfile', 'utf8')
    .split(/^FROM /m)
    .slice(1) as [string, string, string]

  it('copies the files from which the reference and the browser scripts are built', () => {
    const cwd = copyStage(build)
    const code = `const { withSamples } = await import('./scripts/samples.ts')
      await import('./scripts/docs.ts')
      const { paths } = await withSamples('v3')
      console.log(paths['/surveys/'].get['x-codeSamples'].length)`
    expect(run(cwd, code)).toBe('3\n')
    execFileSync(process.execPath, ['scripts/assets.ts'], { cwd })
  })

  it('copies the files that the server reads', () => {
    expect(
      run(
        copyStage(server),
        `await import('./src/app.ts'); const { createGuides } = await import('./src/web/guides.ts')
      console.log(typeof createGuides(['v3']))`,
      ),
    ).toBe('function\n')
  })
})
