/**
 * The program of the processes of `createSandbox`. Its argument is the URL of a module, each exported function of which
 * is a task.
 */
const tasks: Record<string, (input: unknown) => unknown> = await import(process.argv[2]!)

process.on('message', async ({ name, input }: { name: string; input: unknown }) => {
  try {
    process.send!({ value: await tasks[name]!(input) })
  } catch (error) {
    process.send!({ error })
  }
})
// The server has ended.
process.on('disconnect', () => process.exit())
process.send!({})
