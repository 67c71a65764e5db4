import { describeConfig } from '../config.ts'

/**
 * `config`: prints all settings with their values and sources, without secrets. Exits with 1 if a setting is invalid.
 */
export function run({ json }: { json?: boolean }): void {
  const { settings, errors } = describeConfig()
  if (json) console.log(JSON.stringify({ settings, errors }, undefined, 2))
  else
    for (const { name, meaning, source, value, unset } of settings)
      console.log(
        `# ${meaning}\n${value === null ? `#${name}=` : `${name}=${value}`}  # ${source}${unset ? `: ${unset}` : ''}\n`,
      )
  for (const error of errors) console.error(error)
  if (errors.length) process.exitCode = 1
}
