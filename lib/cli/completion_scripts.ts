/** The scripts that let a shell ask `<call> --words …` what may follow. */

export const SCRIPTS = { bash: bashScript, zsh: zshScript } as const;

/** A candidate is a line: the word, a tab, what it is. bash shows the words alone. */
function bashScript(call: string): string {
  return `# Completion of gsd-code for bash. In ~/.bashrc: source <(gsd-code completion bash)
_gsd_code() {
  local line word
  COMPREPLY=()
  while IFS= read -r line; do
    printf -v word %q "\${line%%$'\\t'*}"
    COMPREPLY+=("$word")
  done < <(${call} --words "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _gsd_code gsd-code
`;
}

function zshScript(call: string): string {
  return `#compdef gsd-code
# Completion of gsd-code for zsh. In ~/.zshrc: source <(gsd-code completion zsh)
_gsd_code() {
  local -a found
  found=("\${(@f)$(${call} --words "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -z "$found" ]]; then
    _files
    return
  fi
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  _describe -V gsd-code found
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
compdef _gsd_code gsd-code
`;
}
