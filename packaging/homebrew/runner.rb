# Homebrew formula: the packed tarball, with the completions of three shells. A release fills in url and sha256.
class Runner < Formula
  desc "Deterministic, goal-driven loop for coding agents"
  homepage "https://example.invalid/runner"
  url "https://example.invalid/runner/runner-cli-0.1.0.tgz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "git"
  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    generate_completions_from_executable(bin/"runner", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/runner --version")
    assert_match "loop: status=complete", shell_output("#{bin}/runner demo --quiet")
  end
end
