# SPDX-License-Identifier: BSD-3-Clause
import os

from spack.package import *

try:  # Spack 1.0 and later
    from spack_repo.builtin.build_systems.cmake import CMakePackage
    from spack_repo.builtin.build_systems.cuda import CudaPackage
    from spack_repo.builtin.build_systems.rocm import ROCmPackage
except ImportError:  # In earlier versions, spack.package has these classes.
    pass

# The checkout that holds this Spack repository.
checkout = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))


class Tessera(CMakePackage, CudaPackage, ROCmPackage):
    """Image and stencil pipelines, distributed over ranks, threads and GPUs, on Kokkos and MPI."""

    homepage = "file://" + os.path.join(checkout, "README.md")
    git = checkout

    maintainers("tessera-developers")

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0", commit="2485596e59739a9bc91aeea423b802cbd8fec26f")

    variant("openmp", default=True, description="Threads on the host, with OpenMP")
    variant("shared", default=True, description="Shared libraries")
    variant("cxxstd", default="20", values=("20", "23"), multi=False, description="C++ standard")
    variant("apps", default=True, description="Build the applications")
    variant("benchmarks", default=False, description="Build tessera-bench")
    variant("hdf5", default=True, description="HDF5 files, and with them checkpoints")
    variant("png", default=True, description="PNG files")
    variant("tiff", default=True, description="TIFF files")
    variant("jpeg", default=True, description="JPEG files")
    variant("fits", default=True, description="FITS files")
    variant("ffmpeg", default=False, description="Videos, with FFmpeg's libraries")
    # Tessera 0.2.0 had neither.
    variant(
        "fftw",
        default=True,
        when="@0.3:",
        description="Tessera::spectral, tessera-spectrum and tessera-stitch, with FFTW",
    )
    # It is off by default, as Kokkos Kernels takes long to compile in Spack.
    variant(
        "kernels",
        default=False,
        when="@0.3: +apps",
        description="tessera-matmul, with Kokkos Kernels",
    )
    variant("hwloc", default=True, description="Sizes of caches and NUMA domains from hwloc")
    variant("checks", default=False, description="Check every access against its footprint")

    # As Kokkos, Tessera is compiled for one kind of GPU at a time.
    variant(
        "cuda_arch",
        default="none",
        values=("none",) + CudaPackage.cuda_arch_values,
        multi=False,
        sticky=True,
        when="+cuda",
        description="CUDA architecture",
    )
    variant(
        "amdgpu_target",
        default="none",
        values=("none",) + ROCmPackage.amdgpu_targets,
        multi=False,
        sticky=True,
        when="+rocm",
        description="AMD GPU architecture",
    )

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")

    # Tessera was not built with Kokkos 5 yet.
    depends_on("kokkos@3.4:4")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("kokkos~openmp+serial", when="~openmp")
    depends_on("kokkos+pic", when="+shared ^kokkos~shared")
    depends_on("kokkos+cuda+wrapper+cuda_lambda", when="+cuda")
    depends_on("kokkos+rocm", when="+rocm")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    for target in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos amdgpu_target={target}", when=f"+rocm amdgpu_target={target}")
    depends_on("mpi")
    depends_on("hdf5@1.10.7: +mpi", when="+hdf5")
    depends_on("libpng", when="+png")
    depends_on("zlib-api", when="+png")
    depends_on("libtiff@4.5:", when="+tiff")
    depends_on("jpeg", when="+jpeg")
    depends_on("cfitsio", when="+fits")
    depends_on("ffmpeg@5:", when="+ffmpeg")
    depends_on("fftw@3.3: precision=float,double", when="+fftw")
    depends_on("kokkos-kernels+blas", when="+kernels")
    depends_on("kokkos-kernels+cuda+cublas", when="+kernels+cuda")
    depends_on("yaml-cpp")
    depends_on("cli11")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("hwloc", when="+hwloc")
    depends_on("googletest", type="test")
    depends_on("py-h5py", type="test")
    depends_on("benchmark", when="+benchmarks")

    conflicts(
        "cuda_arch=none",
        when="+cuda",
        msg="Name the architecture of the GPU, for example tessera+cuda cuda_arch=90",
    )
    conflicts(
        "amdgpu_target=none",
        when="+rocm",
        msg="Name the architecture of the GPU, for example tessera+rocm amdgpu_target=gfx90a",
    )
    conflicts("+cuda", when="+rocm", msg="Tessera is built for GPUs of one maker at a time")
    conflicts("%gcc@:11", msg="Tessera is C++20, and was built with GCC 12 and newer")
    conflicts("%clang@:13", msg="Tessera is C++20, and was built with Clang 14 and newer")

    generator("ninja")

    test_requires_compiler = True

    @property
    def sanity_check_is_file(self):
        files = ["include/tessera/tessera.hpp"]
        if self.spec.satisfies("+apps"):
            files += ["bin/tessera-blur", "share/tessera/inputs/blur/default.yaml"]
        if self.spec.satisfies("+apps+fftw"):
            files.append("bin/tessera-stitch")
        if self.spec.satisfies("+kernels"):
            files.append("bin/tessera-matmul")
        if self.spec.satisfies("+benchmarks"):
            files.append("bin/tessera-bench")
        return files

    @property
    def device_compiler(self):
        """The compiler of device code: Kokkos's wrapper, or hipcc. None in builds for hosts."""
        if self.spec.satisfies("+cuda"):
            # Spack 1.0 has moved the wrapper from the spec to the package.
            spec = self.spec["kokkos"]
            return spec.kokkos_cxx if hasattr(spec, "kokkos_cxx") else self["kokkos"].kokkos_cxx
        return self.spec["hip"].hipcc if self.spec.satisfies("+rocm") else None

    def cmake_args(self):
        arguments = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("CMAKE_CXX_STANDARD", "cxxstd"),
            self.define_from_variant("TESSERA_BUILD_APPS", "apps"),
            self.define_from_variant("TESSERA_BUILD_BENCHMARKS", "benchmarks"),
            self.define_from_variant("TESSERA_CHECKS", "checks"),
            self.define_from_variant("TESSERA_HDF5", "hdf5"),
            self.define_from_variant("TESSERA_PNG", "png"),
            self.define_from_variant("TESSERA_TIFF", "tiff"),
            self.define_from_variant("TESSERA_JPEG", "jpeg"),
            self.define_from_variant("TESSERA_FITS", "fits"),
            self.define_from_variant("TESSERA_VIDEO", "ffmpeg"),
            self.define("TESSERA_FFTW", self.spec.satisfies("+fftw")),
            self.define("TESSERA_KERNELS", self.spec.satisfies("+kernels")),
            self.define_from_variant("TESSERA_HWLOC", "hwloc"),
            self.define("TESSERA_BUILD_TESTS", self.run_tests),
        ]
        # Programs and tests that are not installed would take these from the host.
        if self.spec.satisfies("+benchmarks"):
            arguments.append(self.define("CMAKE_DISABLE_FIND_PACKAGE_OpenCV", True))
            arguments.append(self.define("TESSERA_FFTW_THREADS", False))
        if self.run_tests:
            arguments.append(self.define("CMAKE_DISABLE_FIND_PACKAGE_Doxygen", True))
        if self.device_compiler:
            arguments.append(self.define("CMAKE_CXX_COMPILER", self.device_compiler))
        return arguments

    def check(self):
        """Runs all tests except those that compile the library once more: test_consumer does that."""
        with working_dir(self.build_directory):
            ctest = which(self.spec["cmake"].prefix.bin.ctest)
            ctest("--output-on-failure", "--label-exclude", "install", "--parallel", str(make_jobs))

    consumer = join_path("tests", "install", "consumer")

    @run_after("install")
    def keep_consumer(self):
        """Keeps the project that `spack test run` builds."""
        cache_extra_test_sources(self, [self.consumer])

    def run_installed(self, name, *arguments, ranks=1):
        """Runs an installed program on `ranks` ranks, each with one thread."""
        with working_dir(self.test_suite.stage, create=True):
            launcher = which("mpiexec", path=[self.spec["mpi"].prefix.bin]) or which("mpiexec")
            program = join_path(self.prefix.bin, name)
            launcher("-n", str(ranks), program, *arguments, "threads=1")

    def run_on_one_rank_and_two(self, name, deck, *arguments):
        """Runs a program on one rank and on two, with noise.h5, and compares the results."""
        if self.spec.satisfies("~apps") or self.spec.satisfies("~hdf5"):
            raise SkipTest("The programs and HDF5 files are needed")
        image = ["type=float32", "width=67", "height=67", "output.file=noise.h5"]
        self.run_installed("tessera-generate", "inputs/generate/noise.yaml", *image)
        for ranks in (1, 2):
            self.run_installed(name, deck, *arguments, f"output.file={name}{ranks}.h5", ranks=ranks)
        files = [f"input.file={name}1.h5", f"other.file={name}2.h5", "tolerance.maximum=0"]
        self.run_installed("tessera-compare", "inputs/compare/default.yaml", *files)

    def test_programs(self):
        """blur an image on two ranks and on one, and compare the results"""
        deck = "inputs/blur/default.yaml"
        self.run_on_one_rank_and_two("tessera-blur", deck, "input.file=noise.h5")

    def test_fftw(self):
        """write a power spectrum on two ranks and on one, and compare the results"""
        if not self.spec.satisfies("+fftw"):
            raise SkipTest("tessera-spectrum is needed, which is built with FFTW")
        deck = "inputs/spectrum/default.yaml"
        self.run_on_one_rank_and_two("tessera-spectrum", deck, "input.file=noise.h5")

    def test_kernels(self):
        """multiply matrices on two ranks and on one, and compare the results"""
        if not self.spec.satisfies("+kernels"):
            raise SkipTest("tessera-matmul is needed, which is built with Kokkos Kernels")
        matrices = ["a.file=noise.h5", "b.file=noise.h5", "block=32"]
        self.run_on_one_rank_and_two("tessera-matmul", "inputs/matmul/default.yaml", *matrices)

    def test_benchmark(self):
        """time a small pipeline with its installed deck"""
        if self.spec.satisfies("~benchmarks"):
            raise SkipTest("tessera-bench is needed")
        with working_dir(self.test_suite.stage, create=True):
            bench = which(join_path(self.prefix.bin, "tessera-bench"))
            bench("--threads", "1", "--only", "blur", "--sizes", "64x64", "--repetitions", "3")

    def test_consumer(self):
        """build and run a project that uses the installed library"""
        source = join_path(self.test_suite.current_test_cache_dir, self.consumer)
        build = join_path(self.test_suite.stage, "consumer")
        # Since Spack 1.0, its wrapper of the compiler, which knows where libraries lie, serves
        # builds alone: tests take the compiler itself, and CMake learns here where to look.
        compiler = self.device_compiler or self.compiler.cxx
        prefixes = [str(spec.prefix) for spec in self.spec.traverse(deptype="link")]
        options = [
            self.define("CMAKE_CXX_COMPILER", compiler),
            self.define("CMAKE_PREFIX_PATH", prefixes),
        ]
        cmake = which(self.spec["cmake"].prefix.bin.cmake)
        cmake("-S", source, "-B", build, *options)
        cmake("--build", build)
        which(join_path(build, "consumer"))()
