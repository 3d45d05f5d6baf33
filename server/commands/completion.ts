import { Argument, type Command } from 'commander'
import type { CommandContext } from './terminal.ts'

/** Adds completion, which prints a shell script generated from the commands and options of the program. */
export function addCompletion(program: Command, { say }: CommandContext): void {
  program
    .command('completion')
    .description('Print a script by which a shell completes commands and options.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .addHelpText(
      'after',
      `
Examples:
  source <(plumbline completion bash)
  source <(plumbline completion zsh)
  plumbline completion fish | source`,
    )
    .action((shell: keyof typeof scripts) => {
      const script = scripts[shell](listWords(program))
      say({ json: { shell, script }, text: script, value: script })
    })
}

/** The words that may follow the commands of `path`. */
type CompletionPlace = { path: string; words: string }

function listWords(command: Command, path: readonly string[] = [], shared: readonly string[] = []): CompletionPlace[] {
  const options = [...shared, ...command.options.map(({ long }) => long as string), '--help']
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  const words = [...command.commands.map((inner) => inner.name()), ...choices, ...new Set(options)]
  // Every command accepts the options of the program, except --version.
  const passedOn = path.length === 0 ? options.slice(0, -1).filter((option) => option !== '--version') : shared
  return [
    { path: path.join(' '), words: words.join(' ') },
    ...command.commands.flatMap((inner) => listWords(inner, [...path, inner.name()], passedOn)),
  ]
}

/** The scripts. Each finds the longest known command in the typed words, and offers its next words, or else files. */
const scripts = {
  bash: (places: readonly CompletionPlace[]) => `${wordsOf(places)}
_plumbline() {
  local path='' next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    [ -n "$(_plumbline_words "$next")" ] && path=$next
  done
  COMPREPLY=($(compgen -W "$(_plumbline_words "$path")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _plumbline plumbline`,

  zsh: (places: readonly CompletionPlace[]) => `${wordsOf(places)}
_plumbline() {
  local at='' next i
  for ((i = 2; i < CURRENT; i++)); do
    next="\${at:+$at }\${words[i]}"
    [ -n "$(_plumbline_words "$next")" ] && at=$next
  done
  compadd -- \${(s: :)"$(_plumbline_words "$at")"} || _files
}
autoload -Uz compinit && compinit
compdef _plumbline plumbline`,

  fish: (places: readonly CompletionPlace[]) => `function _plumbline_words
  switch "$argv"
${places.map(({ path, words }) => `    case '${path}'\n      string split -- ' ' '${words}'`).join('\n')}
  end
end
function _plumbline
  set -l path
  for word in (commandline -opc)[2..]
    test (count (_plumbline_words $path $word)) -gt 0; and set -a path $word
  end
  _plumbline_words $path
end
complete -c plumbline -a '(_plumbline)'`,
}

const wordsOf = (places: readonly CompletionPlace[]): string => `_plumbline_words() {
  case "$1" in
${places.map(({ path, words }) => `    '${path}') echo '${words}' ;;`).join('\n')}
  esac
}`
